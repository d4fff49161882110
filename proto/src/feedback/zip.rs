//! A zip file whose members are stored as they are: the format's simplest form, which every reader knows.

use std::io::{self, Write};

/// Version 2.0 of the format: directories in names.
const VERSION: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 0x0800;
/// 1 January 1980, the earliest that the format knows: when a member was made is nobody's business.
const DATE: u16 = 0x0021;
/// Made on Unix, so that the permissions below count.
const MADE_BY: u16 = 0x0300 | VERSION;
/// A regular file that its owner may read and write.
const ATTRIBUTES: u32 = 0o100_600 << 16;

/// Writes `members`, pairs of a name and its content.
///
/// # Errors
/// The writer fails, or there is more than the format's simplest form can hold: 65,535 members, 4 GiB.
pub(super) fn write(out: &mut impl Write, members: &[(String, Vec<u8>)]) -> io::Result<()> {
    let mut directory = Vec::new();
    let mut offset = 0;
    for (name, content) in members {
        let entry = Entry::of(name, content)?;
        directory.extend(entry.central(name, offset));
        let local = entry.local(name);
        out.write_all(&local)?;
        out.write_all(content)?;
        let length = number::<u32>(local.len() + content.len())?;
        offset = offset.checked_add(length).ok_or_else(too_large)?;
    }
    out.write_all(&directory)?;
    out.write_all(&end(members.len(), directory.len(), offset)?)
}

/// What both headers of a member have in common.
struct Entry {
    checksum: u32,
    size: u32,
    name_length: u16,
}

impl Entry {
    fn of(name: &str, content: &[u8]) -> io::Result<Self> {
        Ok(Self {
            checksum: crc32fast::hash(content),
            size: number(content.len())?,
            name_length: number(name.len())?,
        })
    }

    /// From the version to the length of the name.
    fn common(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // No compression, and midnight.
        for short in [VERSION, FLAGS, 0, 0, DATE] {
            bytes.extend(short.to_le_bytes());
        }
        for long in [self.checksum, self.size, self.size] {
            bytes.extend(long.to_le_bytes());
        }
        bytes.extend(self.name_length.to_le_bytes());
        bytes
    }

    fn local(&self, name: &str) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend(self.common());
        bytes.extend(0_u16.to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes
    }

    fn central(&self, name: &str, offset: u32) -> Vec<u8> {
        let mut bytes = b"PK\x01\x02".to_vec();
        bytes.extend(MADE_BY.to_le_bytes());
        bytes.extend(self.common());
        // No extra field, no comment, the first disk, no internal attributes.
        bytes.extend([0; 8]);
        bytes.extend(ATTRIBUTES.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes
    }
}

fn end(members: usize, directory: usize, offset: u32) -> io::Result<Vec<u8>> {
    let members: u16 = number(members)?;
    let mut bytes = b"PK\x05\x06\0\0\0\0".to_vec();
    bytes.extend(members.to_le_bytes());
    bytes.extend(members.to_le_bytes());
    bytes.extend(number::<u32>(directory)?.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend([0; 2]);
    Ok(bytes)
}

fn number<N: TryFrom<usize>>(number: usize) -> io::Result<N> {
    N::try_from(number).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "too large for a zip file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_the_length_and_the_place_that_the_format_gives_it() {
        let members = [
            ("a.txt".to_owned(), b"hello".to_vec()),
            ("evidence/b".to_owned(), Vec::new()),
        ];
        let mut file = Vec::new();
        write(&mut file, &members).unwrap();
        assert_eq!(&file[..4], b"PK\x03\x04");
        assert_eq!(&file[14..18], &0x3610_a686_u32.to_le_bytes(), "of `hello`");
        assert_eq!(&file[30..40], b"a.txthello");
        assert_eq!(&file[40..44], b"PK\x03\x04");
        let directory = 40 + 30 + 10;
        assert_eq!(&file[directory..directory + 4], b"PK\x01\x02");
        let end = file.len() - 22;
        assert_eq!(&file[end..end + 4], b"PK\x05\x06");
        assert_eq!(&file[end + 10..end + 12], &2_u16.to_le_bytes());
        let length = u32::try_from(end - directory).unwrap();
        assert_eq!(&file[end + 12..end + 16], &length.to_le_bytes());
        assert_eq!(&file[end + 16..end + 20], &80_u32.to_le_bytes());
    }
}
