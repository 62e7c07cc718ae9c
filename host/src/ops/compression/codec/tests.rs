use super::*;

const FORMATS: [Format; 3] = [Format::Gzip, Format::Zlib, Format::Raw];

/// Feeds `input` in chunks of `step` bytes; everything that came out, and how it ended.
fn run(codec: &mut Codec, input: &[u8], step: usize) -> (Vec<u8>, Result<(), Corrupt>) {
    let mut output = Vec::new();
    let mut drain = |codec: &mut Codec| loop {
        match codec.pull() {
            Ok(Some(piece)) => {
                assert!(!piece.is_empty() && piece.len() <= PIECE + 8);
                output.extend_from_slice(&piece);
            }
            Ok(None) => return Ok(()),
            Err(error) => return Err(error),
        }
    };
    let mut ended = Ok(());
    for chunk in input.chunks(step.max(1)) {
        codec.push(chunk.to_vec());
        ended = drain(codec);
        if ended.is_err() {
            return (output, ended);
        }
    }
    codec.finish();
    ended = ended.and_then(|()| drain(codec));
    (output, ended)
}

fn compress(format: Format, data: &[u8]) -> Vec<u8> {
    let (output, ended) = run(&mut Codec::compressor(format), data, 50_000);
    assert_eq!(ended, Ok(()));
    output
}

/// Half noise, half repetition, from a fixed seed.
fn sample(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    (0..length)
        .map(|index| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            if index % 8192 < 4096 {
                state as u8
            } else {
                (index / 100) as u8
            }
        })
        .collect()
}

#[test]
fn what_was_compressed_comes_back_however_it_is_cut() {
    for format in FORMATS {
        for data in [Vec::new(), b"a".to_vec(), sample(1000), sample(400_000)] {
            let packed = compress(format, &data);
            for step in [1, 7, 1000, packed.len()] {
                if step < 1000 && data.len() > 1000 {
                    continue;
                }
                let (output, ended) = run(&mut Codec::decompressor(format), &packed, step);
                assert_eq!(ended, Ok(()), "{format:?} {} {step}", data.len());
                assert!(output == data, "{format:?} {} {step}", data.len());
            }
        }
    }
}

#[test]
fn a_bomb_comes_out_in_bounded_pieces() {
    let packed = compress(Format::Gzip, &vec![0; 20_000_000]);
    assert!(packed.len() < 40_000);
    let (output, ended) = run(
        &mut Codec::decompressor(Format::Gzip),
        &packed,
        packed.len(),
    );
    assert_eq!((output.len(), ended), (20_000_000, Ok(())));
}

#[test]
fn every_truncation_is_noticed() {
    for format in FORMATS {
        let packed = compress(format, &sample(300));
        for length in 0..packed.len() {
            let (_, ended) = run(&mut Codec::decompressor(format), &packed[..length], 11);
            assert_eq!(ended, Err(Corrupt::Truncated), "{format:?} {length}");
        }
    }
}

#[test]
fn bytes_after_the_end_are_an_error_once_the_output_is_out() {
    for format in FORMATS {
        let data = sample(100_000);
        let mut packed = compress(format, &data);
        packed.push(0);
        for step in [packed.len(), packed.len() - 1] {
            let (output, ended) = run(&mut Codec::decompressor(format), &packed, step);
            assert_eq!(ended, Err(Corrupt::Trailing));
            assert!(output == data);
        }
    }
    let member = compress(Format::Gzip, b"one");
    let both = [&member[..], &member[..]].concat();
    let (output, ended) = run(&mut Codec::decompressor(Format::Gzip), &both, both.len());
    assert_eq!((&output[..], ended), (&b"one"[..], Err(Corrupt::Trailing)));
}

#[test]
fn checksums_are_checked() {
    let data = sample(1000);
    for (format, from_end) in [(Format::Gzip, 8), (Format::Gzip, 1), (Format::Zlib, 1)] {
        let mut packed = compress(format, &data);
        let index = packed.len() - from_end;
        packed[index] ^= 1;
        let (_, ended) = run(&mut Codec::decompressor(format), &packed, packed.len());
        assert!(
            matches!(ended, Err(Corrupt::Checksum | Corrupt::Data)),
            "{format:?}"
        );
    }
}

#[test]
fn failures_stay() {
    let mut codec = Codec::decompressor(Format::Zlib);
    codec.push(vec![0xff; 10]);
    assert_eq!(codec.pull(), Err(Corrupt::Data));
    assert_eq!(codec.pull(), Err(Corrupt::Data));
}

#[test]
fn all_fields_of_a_gzip_header_are_read() {
    let plain = compress(Format::Gzip, b"fields");
    let mut header = vec![0x1f, 0x8b, 8, 0b0001_1111, 1, 2, 3, 4, 0, 3];
    header.extend_from_slice(&[3, 0, 9, 9, 9]);
    header.extend_from_slice(b"name\0comment\0");
    let mut crc = Crc::new();
    crc.update(&header);
    let check = (crc.sum() as u16).to_le_bytes();
    for (check, expected) in [
        (check, Ok(())),
        ([check[0] ^ 1, check[1]], Err(Corrupt::Checksum)),
    ] {
        let packed = [&header[..], &check[..], &plain[10..]].concat();
        for step in [1, packed.len()] {
            let (output, ended) = run(&mut Codec::decompressor(Format::Gzip), &packed, step);
            assert_eq!(ended, expected);
            assert_eq!(output.is_empty(), ended.is_err());
        }
    }
    for (index, byte) in [(0, 0), (1, 0), (2, 7), (3, 0x80)] {
        let mut packed = plain.clone();
        packed[index] = byte;
        assert_eq!(
            run(&mut Codec::decompressor(Format::Gzip), &packed, 3).1,
            Err(Corrupt::Data)
        );
    }
}
