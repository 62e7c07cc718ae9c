//! What a terminal can show: its size and its colours.

use rustix::termios::tcgetwinsize;

/// Columns and rows of the terminal behind a standard stream; `None` if there is none, or it does not say.
pub(super) fn size(fd: u32) -> Option<(u16, u16)> {
    let size = match fd {
        0 => tcgetwinsize(std::io::stdin()),
        1 => tcgetwinsize(std::io::stdout()),
        2 => tcgetwinsize(std::io::stderr()),
        _ => return None,
    };
    let size = size.ok()?;
    (size.ws_col > 0).then_some((size.ws_col, size.ws_row))
}

/// Bits of colour, by the rules of `NO_COLOR` (no-color.org) and `FORCE_COLOR` as Node reads it.
pub(super) fn color_depth(is_terminal: bool, variable: &dyn Fn(&str) -> Option<String>) -> u32 {
    match variable("FORCE_COLOR").as_deref() {
        Some("" | "1" | "true") => return 4,
        Some("2") => return 8,
        Some("3") => return 24,
        Some(_) => return 1,
        None => {}
    }
    if !is_terminal || variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return 1;
    }
    if variable("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit") {
        return 24;
    }
    match variable("TERM").as_deref() {
        None | Some("" | "dumb") => 1,
        Some(term) if term.contains("256") => 8,
        Some(_) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::color_depth;

    fn depth(is_terminal: bool, variables: &[(&str, &str)]) -> u32 {
        color_depth(is_terminal, &|name| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn variables_decide() {
        assert_eq!(depth(true, &[("TERM", "xterm-256color")]), 8);
        assert_eq!(
            depth(true, &[("TERM", "xterm"), ("COLORTERM", "truecolor")]),
            24
        );
        assert_eq!(depth(true, &[("TERM", "dumb")]), 1);
        assert_eq!(depth(true, &[("TERM", "xterm"), ("NO_COLOR", "1")]), 1);
        assert_eq!(depth(false, &[("TERM", "xterm")]), 1);
        assert_eq!(depth(false, &[("FORCE_COLOR", "3"), ("NO_COLOR", "1")]), 24);
        assert_eq!(depth(true, &[("FORCE_COLOR", "0"), ("TERM", "xterm")]), 1);
    }
}
