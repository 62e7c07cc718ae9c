//! The codecs themselves, free of V8.

mod gzip;

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};
use gzip::{HeaderParser, TrailerParser};

/// The most output of one [`Codec::pull`].
const PIECE: usize = 64 * 1024;
/// The least room for output: small chunks need not pay for zeroing a whole piece.
const SMALL_PIECE: usize = 1024;

/// "CompressionFormat"
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Gzip,
    Zlib,
    Raw,
}

impl Format {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Zlib),
            "deflate-raw" => Some(Self::Raw),
            _ => None,
        }
    }
}

/// What is wrong with the input. A codec that has said so says it again on every call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Corrupt {
    Data,
    Checksum,
    Truncated,
    /// Input after the end of the compressed data. A second gzip member is that, too.
    Trailing,
}

impl Corrupt {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Data => "The compressed data is not valid",
            Self::Checksum => "The checksum of the compressed data does not match",
            Self::Truncated => "The compressed data ends too early",
            Self::Trailing => "There is more input after the end of the compressed data",
        }
    }
}

/// One compression or decompression under way.
pub(crate) struct Codec {
    /// The chunk being worked on: `input[position..]` is still to be read.
    input: Vec<u8>,
    position: usize,
    finishing: bool,
    failure: Option<Corrupt>,
    work: Work,
}

enum Work {
    Compress(Compressor),
    Decompress(Decompressor),
}

impl Codec {
    pub(crate) fn compressor(format: Format) -> Self {
        Self::new(Work::Compress(Compressor {
            deflate: Compress::new(Compression::default(), format == Format::Zlib),
            crc: Crc::new(),
            gzip: format == Format::Gzip,
            stage: if format == Format::Gzip {
                CompressStage::Header
            } else {
                CompressStage::Body
            },
        }))
    }

    pub(crate) fn decompressor(format: Format) -> Self {
        Self::new(Work::Decompress(Decompressor {
            inflate: Decompress::new(format == Format::Zlib),
            crc: Crc::new(),
            gzip: format == Format::Gzip,
            stage: if format == Format::Gzip {
                DecompressStage::Header(HeaderParser::new())
            } else {
                DecompressStage::Body
            },
        }))
    }

    fn new(work: Work) -> Self {
        Self {
            input: Vec::new(),
            position: 0,
            finishing: false,
            failure: None,
            work,
        }
    }

    /// Gives the codec a chunk. The one before must have been worked off, that is, `pull` must have returned nothing.
    pub(crate) fn push(&mut self, bytes: Vec<u8>) {
        if self.position >= self.input.len() {
            self.input = bytes;
            self.position = 0;
        } else {
            self.input.extend_from_slice(&bytes);
        }
    }

    /// Says that no input follows.
    pub(crate) fn finish(&mut self) {
        self.finishing = true;
    }

    /// The next piece of output; `None` when there is no more without more input.
    pub(crate) fn pull(&mut self) -> Result<Option<Vec<u8>>, Corrupt> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let rest = self.input.get(self.position..).unwrap_or_default();
        let mut output = Vec::with_capacity(rest.len().saturating_mul(4).clamp(SMALL_PIECE, PIECE));
        let before = rest.len();
        let mut rest = rest;
        let worked = match &mut self.work {
            Work::Compress(work) => work.run(&mut rest, &mut output, self.finishing),
            Work::Decompress(work) => work.run(&mut rest, &mut output, self.finishing),
        };
        self.position += before - rest.len();
        if self.position >= self.input.len() {
            // A chunk may be large: it is not kept until the next one comes.
            self.input = Vec::new();
            self.position = 0;
        }
        if let Err(failure) = worked {
            self.failure = Some(failure);
            if output.is_empty() {
                return Err(failure);
            }
        }
        if output.is_empty() {
            return Ok(None);
        }
        if output.len() < output.capacity() / 2 {
            output.shrink_to_fit();
        }
        Ok(Some(output))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CompressStage {
    Header,
    Body,
    Ended,
}

struct Compressor {
    deflate: Compress,
    /// Of the input, for gzip's trailer.
    crc: Crc,
    gzip: bool,
    stage: CompressStage,
}

impl Compressor {
    fn run(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
        finishing: bool,
    ) -> Result<(), Corrupt> {
        if self.stage == CompressStage::Header {
            output.extend_from_slice(&gzip::HEADER);
            self.stage = CompressStage::Body;
        }
        let flush = if finishing {
            FlushCompress::Finish
        } else {
            FlushCompress::None
        };
        while self.stage == CompressStage::Body && output.len() < output.capacity() {
            let (read_before, written_before) = (self.deflate.total_in(), self.deflate.total_out());
            let status = self
                .deflate
                .compress_vec(input, output, flush)
                .map_err(|_| Corrupt::Data)?;
            let read = (self.deflate.total_in() - read_before) as usize;
            let progress = read > 0 || self.deflate.total_out() > written_before;
            let (done, rest) = input.split_at_checked(read).unwrap_or((*input, &[]));
            if self.gzip {
                self.crc.update(done);
            }
            *input = rest;
            if status == Status::StreamEnd {
                self.stage = CompressStage::Ended;
                if self.gzip {
                    // May exceed the piece by its eight bytes.
                    output.extend_from_slice(&gzip::trailer(&self.crc));
                }
            } else if !progress {
                break;
            }
        }
        Ok(())
    }
}

enum DecompressStage {
    Header(HeaderParser),
    Body,
    Trailer(TrailerParser),
    Ended,
}

struct Decompressor {
    inflate: Decompress,
    /// Of the output, for gzip's trailer.
    crc: Crc,
    gzip: bool,
    stage: DecompressStage,
}

impl Decompressor {
    fn run(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
        finishing: bool,
    ) -> Result<(), Corrupt> {
        loop {
            match &mut self.stage {
                DecompressStage::Header(parser) => {
                    if parser.parse(input)? {
                        self.stage = DecompressStage::Body;
                        continue;
                    }
                }
                DecompressStage::Body => {
                    if self.inflate(input, output)? {
                        self.stage = if self.gzip {
                            DecompressStage::Trailer(TrailerParser::new())
                        } else {
                            DecompressStage::Ended
                        };
                        continue;
                    }
                    if output.len() >= output.capacity() {
                        return Ok(());
                    }
                }
                DecompressStage::Trailer(parser) => {
                    if parser.parse(input, &self.crc)? {
                        self.stage = DecompressStage::Ended;
                        continue;
                    }
                }
                DecompressStage::Ended => {
                    return if input.is_empty() {
                        Ok(())
                    } else {
                        Err(Corrupt::Trailing)
                    };
                }
            }
            // All input has been read, and the end has not come.
            return if finishing {
                Err(Corrupt::Truncated)
            } else {
                Ok(())
            };
        }
    }

    /// Inflates until the output is full, the input used up, or the stream at its end, in which case the answer is true.
    fn inflate(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<bool, Corrupt> {
        let start = output.len();
        let mut ended = Ok(false);
        while output.len() < output.capacity() {
            let (read_before, written_before) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self
                .inflate
                .decompress_vec(input, output, FlushDecompress::None);
            let read = (self.inflate.total_in() - read_before) as usize;
            *input = input.get(read..).unwrap_or_default();
            match status {
                Err(_) => ended = Err(Corrupt::Data),
                Ok(Status::StreamEnd) => ended = Ok(true),
                // The window may hold output back even when the input is used up: go on as long as anything moves.
                Ok(_) if read > 0 || self.inflate.total_out() > written_before => continue,
                Ok(_) => {}
            }
            break;
        }
        if self.gzip {
            self.crc.update(output.get(start..).unwrap_or_default());
        }
        ended
    }
}

#[cfg(test)]
mod tests;
