//! Times as people and file names have them.

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 3600 * 1000;

/// A moment in milliseconds since the Unix epoch, as in `2026-11-30T08:15:00Z`.
pub(super) fn utc(unix_ms: u64) -> String {
    let (year, month, day) = date(unix_ms / DAY_MS);
    let seconds = unix_ms % DAY_MS / 1000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day since the Unix epoch. Years are counted from March, so that the leap day is the last.
fn date(day: u64) -> (u64, u64, u64) {
    let day = day + 719_468;
    let era = day / 146_097;
    let day_of_era = day % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carried) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year_of_era + era * 400 + carried, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_around_leap_days_and_years() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds * 1000), text);
        }
    }
}
