//! How a worker ended.

use std::fmt;

/// How a worker ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// Its script ended and nothing was left to wait for, or it called `close()`. The code is `process.exitCode`.
    Finished {
        /// 0 unless the script set another.
        code: i32,
    },
    /// The script called `process.exit()`.
    Exited {
        /// The code that it gave.
        code: i32,
    },
    /// An exception that nothing caught.
    Threw(UncaughtError),
    /// [`Worker::terminate`](crate::Worker::terminate), or the end of the worker that made it.
    Terminated,
}

/// An exception that nothing caught.
///
/// Displays as the stack with the source line above it, as command lines show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UncaughtError {
    /// The error's class, or empty if something other than an error was thrown.
    pub name: String,
    /// The error's message, or the thrown value as a string.
    pub message: String,
    /// The error's `stack`, with its causes; the message if it has none.
    pub stack: String,
    /// URL of the script, if known.
    pub file: String,
    /// Line, from 1; 0 if unknown.
    pub line: u32,
    /// Column in UTF-16 code units, from 1; 0 if unknown.
    pub column: u32,
    /// Text of that line.
    pub source_line: String,
}

impl UncaughtError {
    /// An error of the host's own, which has no place in a script.
    pub(crate) fn of_host(message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            name: "Error".to_owned(),
            stack: format!("Error: {message}"),
            message,
            ..Self::default()
        }
    }
}

impl fmt::Display for UncaughtError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 160;
        if self.line > 0 && !self.source_line.is_empty() {
            writeln!(formatter, "{}:{}", self.file, self.line)?;
            // A bundle's single line tells nobody anything.
            if self.source_line.chars().count() <= SHOWN {
                let indent: String = self
                    .source_line
                    .chars()
                    .take(self.column.saturating_sub(1) as usize)
                    .map(|unit| if unit == '\t' { '\t' } else { ' ' })
                    .collect();
                writeln!(formatter, "{}\n{indent}^\n", self.source_line)?;
            }
        }
        formatter.write_str(&self.stack)
    }
}

impl std::error::Error for UncaughtError {}
