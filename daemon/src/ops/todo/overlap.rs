//! Which items belong to a range.

use lean_beam_proto::text::Range;

/// True when `item` belongs to `asked`. Both are half-open. A point belongs to what contains it or starts there;
/// an empty item belongs to the range that it stands in.
pub(super) fn overlaps(item: Range, asked: Range) -> bool {
    match (item.start == item.end, asked.start == asked.end) {
        (true, true) => item.start == asked.start,
        (true, false) => asked.start <= item.start && item.start < asked.end,
        (false, true) => item.start <= asked.start && asked.start < item.end,
        (false, false) => item.start < asked.end && asked.start < item.end,
    }
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::text::Position;

    use super::*;

    fn range(start: u32, end: u32) -> Range {
        Range::new(Position::new(0, start), Position::new(0, end))
    }

    #[test]
    fn ranges_are_half_open() {
        for (item, asked, expected) in [
            (range(2, 5), range(5, 9), false),
            (range(2, 5), range(4, 9), true),
            (range(2, 5), range(0, 2), false),
            (range(2, 5), range(0, 3), true),
            (range(2, 5), range(3, 4), true),
        ] {
            assert_eq!(overlaps(item, asked), expected, "{item:?} {asked:?}");
        }
    }

    #[test]
    fn points_belong_to_what_contains_them() {
        for (point, expected) in [(1, false), (2, true), (4, true), (5, false)] {
            assert_eq!(
                overlaps(range(2, 5), range(point, point)),
                expected,
                "{point}"
            );
        }
    }

    #[test]
    fn empty_items_belong_where_they_stand() {
        for (asked, expected) in [
            (range(3, 3), true),
            (range(2, 2), false),
            (range(3, 5), true),
            (range(0, 3), false),
            (range(0, 4), true),
        ] {
            assert_eq!(overlaps(range(3, 3), asked), expected, "{asked:?}");
        }
    }
}
