//! `examples/darkroom`: a photo through workers, shared memory and a guest.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::command::{Ran, command};
use crate::support::Folder;

#[path = "../darkroom/reference.rs"]
mod reference;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples/darkroom")
        .join(name)
        .canonicalize()
        .expect("the example is there")
}

/// An 8-bit RGBA picture.
#[derive(PartialEq)]
struct Picture {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
}

/// Decodes a whole PNG file.
fn decode(bytes: &[u8]) -> Picture {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it fits the memory")];
    let frame = reader.next_frame(&mut pixels).expect("its pixels");
    pixels.truncate(frame.buffer_size());
    reader.finish().expect("a sound file to its end");
    let rgba = match frame.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::GrayscaleAlpha => pixels
            .chunks_exact(2)
            .flat_map(|sample| [sample[0], sample[0], sample[0], sample[1]])
            .collect(),
        other => panic!("decoded to {other:?}"),
    };
    Picture {
        width: frame.width as usize,
        height: frame.height as usize,
        rgba,
    }
}

/// Runs the example on `in.png` of the folder.
fn darkroom(folder: &Folder, more: &[&str]) -> Ran {
    let here = folder.path().display().to_string();
    let arguments: Vec<String> = [
        "run".to_owned(),
        format!("--allow-read={here}"),
        format!("--allow-write={here}"),
        example("main.mjs").display().to_string(),
        "in.png".to_owned(),
        "out.png".to_owned(),
    ]
    .into_iter()
    .chain(more.iter().map(|argument| (*argument).to_owned()))
    .collect();
    command(&folder.path(), &arguments)
}

/// The file that the example makes of these bytes.
#[track_caller]
fn developed(bytes: &[u8], more: &[&str]) -> Vec<u8> {
    let folder = Folder::new(&[]);
    folder.write("in.png", bytes);
    let ran = darkroom(&folder, more);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert_eq!(ran.stderr, "");
    assert_eq!(
        files(&folder),
        ["in.png", "out.png"],
        "nothing else is left"
    );
    std::fs::read(folder.at("out.png")).expect("the output")
}

/// Names of the folder's files.
fn files(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("the folder is there")
        .map(|entry| {
            let entry = entry.expect("an entry");
            entry.file_name().to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}

#[track_caller]
fn is_within_one_level_of_the_reference(input: &Picture, output: &Picture, radius: usize) {
    assert_eq!(
        (output.width, output.height),
        (input.width, input.height),
        "size"
    );
    let wanted = reference::sharpen(&input.rgba, input.width, input.height, radius);
    for (index, (found, wanted)) in output.rgba.iter().zip(&wanted).enumerate() {
        let (pixel, channel) = (index / 4, index % 4);
        assert!(
            found.abs_diff(*wanted) <= 1,
            "pixel {},{} channel {channel}: {found}, the reference has {wanted}",
            pixel % input.width,
            pixel / input.width,
        );
    }
}

#[test]
fn the_number_of_workers_does_not_change_a_byte_and_the_reference_agrees() {
    let photo = std::fs::read(example("photo.png")).unwrap();
    let [one, two, eight] = ["1", "2", "8"].map(|count| developed(&photo, &["--workers", count]));
    assert!(one == two, "2 workers make another file than 1");
    assert!(one == eight, "8 workers make another file than 1");
    let (input, output) = (decode(&photo), decode(&one));
    is_within_one_level_of_the_reference(&input, &output, 3);
    assert!(input != output, "the picture was changed");
    let expected = std::fs::read_to_string(example("expected.sha256")).unwrap();
    assert_eq!(
        format!("{:x}", Sha256::digest(&output.rgba)),
        expected.split_whitespace().next().unwrap(),
        "expected.sha256"
    );
}

#[test]
fn the_summary_tells_where_the_picture_is_and_how_many_workers_made_it() {
    let folder = Folder::new(&[]);
    folder.write("in.png", std::fs::read(example("photo.png")).unwrap());
    let ran = darkroom(&folder, &["--workers", "2"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert_eq!(ran.stdout.lines().count(), 1, "{ran:#?}");
    assert!(ran.stdout.starts_with("out.png: "), "{ran:#?}");
    assert!(ran.stdout.ends_with(" ms on 2 workers\n"), "{ran:#?}");
    assert_eq!(ran.stderr, "", "no bar where there is no terminal");
}

/// A small picture with every value and hard edges, as a file.
fn sample(colour: png::ColorType, width: u32, height: u32) -> Vec<u8> {
    let channels = match colour {
        png::ColorType::Grayscale | png::ColorType::Indexed => 1,
        png::ColorType::GrayscaleAlpha => 2,
        png::ColorType::Rgb => 3,
        png::ColorType::Rgba => 4,
    };
    let mut state = 1_u32;
    let data: Vec<u8> = (0..width * height * channels)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(colour);
    encoder.set_depth(png::BitDepth::Eight);
    if colour == png::ColorType::Indexed {
        encoder.set_palette(
            (0..=255_u8)
                .flat_map(|c| [c, 255 - c, c / 2])
                .collect::<Vec<_>>(),
        );
        encoder.set_trns((0..=255_u8).rev().collect::<Vec<_>>());
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&data).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn every_colour_type_agrees_with_the_reference() {
    use png::ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
    for colour in [Grayscale, GrayscaleAlpha, Rgb, Rgba, Indexed] {
        let input = sample(colour, 37, 23);
        let output = developed(&input, &["--workers", "3", "--radius", "2"]);
        is_within_one_level_of_the_reference(&decode(&input), &decode(&output), 2);
    }
}

#[test]
fn radii_and_sizes_at_their_limits_agree_with_the_reference() {
    for (width, height, radius) in [
        (1, 1, 1),
        (1, 1, 64),
        (3, 200, 64),
        (200, 2, 5),
        (64, 64, 1),
    ] {
        let input = sample(png::ColorType::Rgba, width, height);
        let output = developed(&input, &["--workers", "8", "--radius", &radius.to_string()]);
        is_within_one_level_of_the_reference(&decode(&input), &decode(&output), radius);
    }
}

/// Runs the example on a broken file: one line that names the file and what is wrong, exit code 1, and no output.
#[track_caller]
fn is_refused(bytes: &[u8], reason: &str) {
    let folder = Folder::new(&[]);
    folder.write("in.png", bytes);
    let ran = darkroom(&folder, &["--workers", "2"]);
    assert_eq!(ran.code, Some(1), "exit code; {ran:#?}");
    assert!(ran.stderr.contains("in.png"), "the file is named; {ran:#?}");
    assert!(ran.stderr.contains(reason), "{reason:?} is told; {ran:#?}");
    assert_eq!(ran.stderr.lines().count(), 1, "in one line; {ran:#?}");
    assert_eq!(files(&folder), ["in.png"], "no output is left");
}

/// Where the first chunk of a type begins: its length, its type, its data.
fn chunk(bytes: &[u8], kind: &[u8; 4]) -> usize {
    let mut at = 8;
    while &bytes[at + 4..at + 8] != kind {
        let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        at += 12 + length as usize;
    }
    at
}

/// Makes the checksum of the chunk at `at` right (PNG, annex D).
fn seal(bytes: &mut [u8], at: usize) {
    let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let end = at + 8 + length;
    let mut crc = u32::MAX;
    for byte in &bytes[at + 4..end] {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1));
        }
    }
    bytes[end..end + 4].copy_from_slice(&(!crc).to_be_bytes());
}

#[test]
fn a_truncated_picture_is_refused() {
    let photo = std::fs::read(example("photo.png")).unwrap();
    is_refused(&photo[..photo.len() / 2], "cut off");
    is_refused(&photo[..photo.len() - 1], "cut off");
    is_refused(&photo[..photo.len() - 12], "cut off");
    is_refused(&photo[..20], "cut off");
    is_refused(&photo[..8], "cut off");
}

#[test]
fn a_wrong_checksum_is_refused() {
    let photo = std::fs::read(example("photo.png")).unwrap();
    let data = chunk(&photo, b"IDAT");
    let length = u32::from_be_bytes(photo[data..data + 4].try_into().unwrap()) as usize;
    for at in [
        chunk(&photo, b"IHDR") + 8 + 13,
        data + 8 + length,
        data + 20,
    ] {
        let mut broken = photo.clone();
        broken[at] ^= 1;
        is_refused(&broken, "CRC");
    }
}

#[test]
fn a_wrong_length_is_refused() {
    let photo = std::fs::read(example("photo.png")).unwrap();
    let data = chunk(&photo, b"IDAT");
    let mut longer = photo.clone();
    longer[data + 1] ^= 0x40;
    is_refused(&longer, "cut off");
    let mut shorter = photo.clone();
    shorter[data + 3] ^= 1;
    is_refused(&shorter, "");
    let mut huge = photo.clone();
    huge[data] = 0xff;
    is_refused(&huge, "length");
}

#[test]
fn what_is_no_picture_is_refused() {
    is_refused(b"", "not a PNG file");
    is_refused(b"GIF89a, and more of it", "not a PNG file");
}

#[test]
fn damaged_and_missing_image_data_is_refused() {
    let good = sample(png::ColorType::Rgb, 40, 40);
    let data = chunk(&good, b"IDAT");
    let mut damaged = good.clone();
    damaged[data + 30] ^= 0xff;
    seal(&mut damaged, data);
    is_refused(&damaged, "");
    let header = chunk(&good, b"IHDR");
    let mut taller = good.clone();
    taller[header + 8 + 7] += 1;
    seal(&mut taller, header);
    is_refused(&taller, "row 41");
    let mut lower = good.clone();
    lower[header + 8 + 7] -= 1;
    seal(&mut lower, header);
    is_refused(&lower, "more image data");
}

#[test]
fn interlaced_and_deep_pictures_are_refused_with_the_reason() {
    let good = sample(png::ColorType::Rgb, 8, 8);
    let header = chunk(&good, b"IHDR");
    let mut interlaced = good.clone();
    interlaced[header + 8 + 12] = 1;
    seal(&mut interlaced, header);
    is_refused(&interlaced, "interlaced");
    let mut deep = good;
    deep[header + 8 + 8] = 16;
    seal(&mut deep, header);
    is_refused(&deep, "bit depth 16");
}

#[test]
fn an_older_output_survives_a_run_that_fails() {
    let folder = Folder::new(&[("in.png", "broken"), ("out.png", "older")]);
    assert_eq!(darkroom(&folder, &[]).code, Some(1));
    assert_eq!(std::fs::read(folder.at("out.png")).unwrap(), b"older");
    assert_eq!(files(&folder), ["in.png", "out.png"]);
}

#[test]
fn wrong_usage_of_the_example_exits_with_2() {
    let folder = Folder::new(&[]);
    for more in [
        &["--workers", "0"][..],
        &["--radius", "x"],
        &["--sepia"],
        &["third.png"],
    ] {
        let ran = darkroom(&folder, more);
        assert_eq!(ran.code, Some(2), "{more:?}: {ran:#?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{more:?}: {ran:#?}");
    }
}

#[test]
fn a_missing_permission_is_told_with_its_option_and_leaves_nothing() {
    let folder = Folder::new(&[]);
    folder.write("in.png", sample(png::ColorType::Rgb, 8, 8));
    let main = example("main.mjs").display().to_string();
    let ran = command(&folder.path(), &["run", &main, "in.png", "out.png"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("--allow-read"), "{ran:#?}");
    let ran = command(
        &folder.path(),
        &["run", "--allow-read=.", &main, "in.png", "out.png"],
    );
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("--allow-write"), "{ran:#?}");
    assert_eq!(files(&folder), ["in.png"]);
}
