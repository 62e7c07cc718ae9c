//! Compares a PNG file with what is expected of it, by the SHA-256 of its RGBA pixels: two encoders may pack the
//! same picture differently.
//!
//! `cargo run -p isolane-tests --example same_picture -- PICTURE.png EXPECTED.sha256`
//!
//! The second file holds the hash in hexadecimal as its first word. Exit code 0: the same; 1: another picture, or a
//! file that cannot be read; 2: wrong usage.

use std::error::Error;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

use sha2::{Digest, Sha256};

/// The pixels of a PNG file with 8 bits a sample, row after row, in the order red, green, blue, alpha.
fn rgba_pixels(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info()?;
    let size = reader
        .output_buffer_size()
        .ok_or("too large for this machine")?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels)?;
    pixels.truncate(frame.buffer_size());
    // The rest of the file too: a stream that breaks off after the pixels is no good picture.
    reader.finish()?;
    match frame.color_type {
        png::ColorType::Rgba => Ok(pixels),
        png::ColorType::GrayscaleAlpha => Ok(pixels
            .chunks_exact(2)
            .flat_map(|sample| [sample[0], sample[0], sample[0], sample[1]])
            .collect()),
        other => Err(format!("decoded to {other:?} instead of RGBA").into()),
    }
}

fn compare(picture: &Path, expected: &Path) -> Result<(), String> {
    let at = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(expected).map_err(|error| at(expected, &error))?;
    let wanted = text.split_whitespace().next().unwrap_or_default();
    if wanted.len() != 64 {
        return Err(at(expected, &"no SHA-256 in hexadecimal"));
    }
    let pixels = rgba_pixels(picture).map_err(|error| at(picture, &error))?;
    let found = format!("{:x}", Sha256::digest(pixels));
    if !found.eq_ignore_ascii_case(wanted) {
        return Err(at(
            picture,
            &format!("its pixels have the SHA-256 {found}, expected is {wanted}"),
        ));
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [picture, expected] = arguments.as_slice() else {
        eprintln!("usage: same_picture PICTURE.png EXPECTED.sha256");
        return ExitCode::from(2);
    };
    match compare(Path::new(picture), Path::new(expected)) {
        Ok(()) => {
            println!("{}: as expected", Path::new(picture).display());
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("same_picture: {reason}");
            ExitCode::FAILURE
        }
    }
}
