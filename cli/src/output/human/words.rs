//! Numbers and times as people read them.

use std::time::Duration;

/// `1 error`, `2 errors`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// A time as precise as it matters: `7 ms`, `0.42 s`, `12 s`, `3 min`, `2 h 5 min`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match duration.as_millis() {
        0 => format!("{:.1} ms", duration.as_secs_f64() * 1000.0),
        millis @ 1..100 => format!("{millis} ms"),
        100..10_000 => format!("{:.2} s", duration.as_secs_f64()),
        _ if seconds < 120 => format!("{seconds} s"),
        _ if seconds < 7200 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// A duration in milliseconds.
pub(crate) fn millis(number: u64) -> String {
    duration(Duration::from_millis(number))
}

/// Memory in binary units: `812 KiB`, `12 MiB`, `1.4 GiB`.
pub(crate) fn bytes(number: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    match number {
        0..KIB => format!("{number} B"),
        KIB..MIB => format!("{} KiB", number / KIB),
        MIB..GIB => format!("{} MiB", number / MIB),
        _ => format!("{}.{} GiB", number / GIB, number % GIB * 10 / GIB),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_precise_as_they_matter() {
        let cases = [
            (Duration::from_micros(250), "0.2 ms"),
            (Duration::from_millis(7), "7 ms"),
            (Duration::from_millis(420), "0.42 s"),
            (Duration::from_millis(9_876), "9.88 s"),
            (Duration::from_secs(12), "12 s"),
            (Duration::from_secs(200), "3 min"),
            (Duration::from_secs(7_500), "2 h 5 min"),
        ];
        for (given, expected) in cases {
            assert_eq!(duration(given), expected);
        }
    }

    #[test]
    fn memory_has_units() {
        let cases = [
            (17, "17 B"),
            (2_048, "2 KiB"),
            (12 << 20, "12 MiB"),
            ((1 << 30) + (400 << 20), "1.3 GiB"),
        ];
        for (given, expected) in cases {
            assert_eq!(bytes(given), expected);
        }
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "error"), "1 error");
        assert_eq!(counted(0, "error"), "0 errors");
    }
}
