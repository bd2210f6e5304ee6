//! The time that a template sees, and Python's `strftime` in English.

/// A moment of the calendar, for templates that say what day it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    /// The year, as 2026.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u32,
    /// The day of the month, 1 to 31.
    pub day: u32,
    /// The hour, 0 to 23.
    pub hour: u32,
    /// The minute, 0 to 59.
    pub minute: u32,
    /// The second, 0 to 60.
    pub second: u32,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

impl DateTime {
    /// The clock's time in UTC. WebAssembly has no clock: the page passes the time.
    pub(super) fn now() -> Option<DateTime> {
        if cfg!(target_family = "wasm") {
            return None;
        }
        let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        let (days, rest) = (seconds / 86400, (seconds % 86400) as u32);
        // Days to a date of the Gregorian calendar, in eras of 400 years that begin in March.
        let day = days as i64 + 719_468;
        let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
        let year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        Some(DateTime {
            year: (year + era * 400 + i64::from(month <= 2)) as i32,
            month: month as u32,
            day: (of_year - (153 * shifted + 2) / 5 + 1) as u32,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        })
    }

    fn month_index(&self) -> usize {
        (self.month.clamp(1, 12) - 1) as usize
    }

    /// The day of the week, 0 for Sunday (Sakamoto's congruence).
    fn weekday(&self) -> usize {
        const SHIFTS: [i32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        let year = self.year - i32::from(self.month < 3);
        let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        (year + leaps + SHIFTS[self.month_index()] + self.day as i32).rem_euclid(7) as usize
    }

    /// The day of the year, from 1.
    fn day_of_year(&self) -> u32 {
        const BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        BEFORE[self.month_index()] + self.day + u32::from(self.month > 2 && is_leap(self.year))
    }

    /// The week of the year, which begins with the first `first` day of the week; 0 before it.
    fn week(&self, first: usize) -> u32 {
        let since = (self.weekday() + 7 - first) % 7;
        (self.day_of_year() + 6 - since as u32) / 7
    }

    /// The year and the week of ISO 8601, whose week 1 has the year's first Thursday.
    fn iso_week(&self) -> (i32, u32) {
        let weekday = (self.weekday() + 6) % 7;
        let week = (self.day_of_year() as i32 - weekday as i32 + 9) / 7;
        let weeks_of = |year: i32| {
            let first = DateTime { year, month: 1, day: 1, ..*self }.weekday();
            52 + i32::from(first == 4 || (first == 3 && is_leap(year)))
        };
        match week {
            0 => (self.year - 1, weeks_of(self.year - 1) as u32),
            week if week > weeks_of(self.year) => (self.year + 1, 1),
            week => (self.year, week as u32),
        }
    }

    /// The time by a format of Python's `strftime`, in English.
    ///
    /// # Errors
    /// A directive that is not known, which is given.
    pub(super) fn format(&self, format: &str) -> Result<String, String> {
        let mut text = String::new();
        let mut rest = format.chars().peekable();
        while let Some(character) = rest.next() {
            if character != '%' {
                text.push(character);
                continue;
            }
            // The flags of glibc: no padding, spaces, zeros, upper case.
            let flag = rest.next_if(|next| ['-', '_', '0', '^'].contains(next));
            let directive = rest.next().ok_or("%")?;
            let part = self.directive(directive, flag).ok_or_else(|| format!("%{directive}"))?;
            text.push_str(&if flag == Some('^') { part.to_uppercase() } else { part });
        }
        Ok(text)
    }

    fn directive(&self, directive: char, flag: Option<char>) -> Option<String> {
        let padded = |number: u32, width: usize, usual: char| match flag {
            Some('-') => number.to_string(),
            Some('_') => format!("{number:width$}"),
            Some('0') => format!("{number:0width$}"),
            _ if usual == '0' => format!("{number:0width$}"),
            _ => format!("{number:width$}"),
        };
        let two = |number: u32| padded(number, 2, '0');
        let spaced = |number: u32| padded(number, 2, ' ');
        let all = |format: &str| self.format(format).ok();
        let twelve = (self.hour + 11) % 12 + 1;
        let noon = if self.hour < 12 { "AM" } else { "PM" };
        let (day, month) = (DAYS[self.weekday()], MONTHS[self.month_index()]);
        Some(match directive {
            'a' => day[..3].to_string(),
            'A' => day.to_string(),
            'b' | 'h' => month[..3].to_string(),
            'B' => month.to_string(),
            'c' => all("%a %b %e %H:%M:%S %Y")?,
            'C' => two(self.year.div_euclid(100).unsigned_abs()),
            'd' => two(self.day),
            'D' | 'x' => all("%m/%d/%y")?,
            'e' => spaced(self.day),
            // There are no fractions of a second.
            'f' => "000000".to_string(),
            'F' => all("%Y-%m-%d")?,
            'g' => two(self.iso_week().0.rem_euclid(100) as u32),
            'G' => self.iso_week().0.to_string(),
            'H' => two(self.hour),
            'I' => two(twelve),
            'j' => padded(self.day_of_year(), 3, '0'),
            'k' => spaced(self.hour),
            'l' => spaced(twelve),
            'm' => two(self.month),
            'M' => two(self.minute),
            'n' => "\n".to_string(),
            'p' => noon.to_string(),
            'P' => noon.to_lowercase(),
            'r' => all("%I:%M:%S %p")?,
            'R' => all("%H:%M")?,
            'S' => two(self.second),
            't' => "\t".to_string(),
            'T' | 'X' => all("%H:%M:%S")?,
            'u' => ((self.weekday() + 6) % 7 + 1).to_string(),
            'U' => two(self.week(0)),
            'V' => two(self.iso_week().1),
            'w' => self.weekday().to_string(),
            'W' => two(self.week(1)),
            'y' => two(self.year.rem_euclid(100) as u32),
            'Y' => self.year.to_string(),
            // Python's `datetime.now()` has no time zone.
            'z' | 'Z' => String::new(),
            '%' => "%".to_string(),
            _ => return None,
        })
    }
}
