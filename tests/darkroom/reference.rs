//! What `examples/darkroom` must compute, written for plainness: every mean is taken over its whole
//! box afresh. The formulas are those of the example's README, section "Arithmetic".

/// Samples of a pixel; the last one is alpha.
const CHANNELS: usize = 4;

/// Sharpens RGBA pixels (rows without padding) with a box of `2 * radius + 1` pixels a side.
///
/// # Panics
///
/// If `rgba` does not hold `width * height` pixels.
pub fn sharpen(rgba: &[u8], width: usize, height: usize, radius: usize) -> Vec<u8> {
    assert_eq!(
        rgba.len(),
        width * height * CHANNELS,
        "length of the pixels"
    );
    let sums = column_sums(&row_sums(rgba, width, radius), width, height, radius);
    let side = 2 * radius as u32 + 1;
    let area = side * side;
    rgba.iter()
        .zip(sums)
        .enumerate()
        .map(|(index, (&sample, sum))| {
            if index % CHANNELS == CHANNELS - 1 {
                return sample;
            }
            let mean = (sum + area / 2) / area;
            unsharp(i32::from(sample), mean as i32)
        })
        .collect()
}

/// Takes the blur off one and a half times; the shift rounds towards negative infinity.
fn unsharp(sample: i32, mean: i32) -> u8 {
    let detail = sample - mean;
    (sample + detail + (detail >> 1)).clamp(0, 255) as u8
}

/// For each sample the sum over the pixels x - radius to x + radius of its row.
fn row_sums(rgba: &[u8], width: usize, radius: usize) -> Vec<u32> {
    let mut sums = Vec::with_capacity(rgba.len());
    // A picture without columns has no rows to speak of either; chunks of 0 would panic.
    for row in rgba.chunks_exact((width * CHANNELS).max(1)) {
        for x in 0..width {
            for channel in 0..CHANNELS {
                let sum = window(x, radius, width)
                    .map(|near| u32::from(row[near * CHANNELS + channel]))
                    .sum();
                sums.push(sum);
            }
        }
    }
    sums
}

/// For each sample the sum of `row_sums` over the rows y - radius to y + radius.
fn column_sums(row_sums: &[u32], width: usize, height: usize, radius: usize) -> Vec<u32> {
    let length = width * CHANNELS;
    let mut sums = Vec::with_capacity(row_sums.len());
    for y in 0..height {
        for at in 0..length {
            let sum = window(y, radius, height)
                .map(|near| row_sums[near * length + at])
                .sum();
            sums.push(sum);
        }
    }
    sums
}

/// The positions from `centre - radius` to `centre + radius`, those outside clamped to the edge.
fn window(centre: usize, radius: usize, length: usize) -> impl Iterator<Item = usize> {
    (centre..=centre + 2 * radius)
        .map(move |shifted| shifted.saturating_sub(radius).min(length - 1))
}
