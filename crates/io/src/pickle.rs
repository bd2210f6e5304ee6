//! The pickle opcodes that checkpoints use, with the names of Python's `pickletools`.

macro_rules! opcodes {
    ($($name:ident = $code:expr;)*) => { $(pub(crate) const $name: u8 = $code;)* };
}

opcodes! {
    PROTO = 0x80;
    FRAME = 0x95;
    STOP = b'.';
    MARK = b'(';
    POP = b'0';
    DUP = b'2';
    POP_MARK = b'1';
    NONE = b'N';
    NEWTRUE = 0x88;
    NEWFALSE = 0x89;
    BININT = b'J';
    BININT1 = b'K';
    BININT2 = b'M';
    LONG1 = 0x8a;
    LONG4 = 0x8b;
    BINFLOAT = b'G';
    SHORT_BINUNICODE = 0x8c;
    BINUNICODE = b'X';
    BINUNICODE8 = 0x8d;
    SHORT_BINSTRING = b'U';
    BINSTRING = b'T';
    SHORT_BINBYTES = b'C';
    BINBYTES = b'B';
    BINBYTES8 = 0x8e;
    BYTEARRAY8 = 0x96;
    EMPTY_SET = 0x8f;
    ADDITEMS = 0x90;
    FROZENSET = 0x91;
    EMPTY_LIST = b']';
    APPEND = b'a';
    APPENDS = b'e';
    EMPTY_TUPLE = b')';
    TUPLE = b't';
    TUPLE1 = 0x85;
    TUPLE2 = 0x86;
    TUPLE3 = 0x87;
    EMPTY_DICT = b'}';
    SETITEM = b's';
    SETITEMS = b'u';
    GLOBAL = b'c';
    STACK_GLOBAL = 0x93;
    REDUCE = b'R';
    NEWOBJ = 0x81;
    NEWOBJ_EX = 0x92;
    BUILD = b'b';
    BINPERSID = b'Q';
    BINPUT = b'q';
    LONG_BINPUT = b'r';
    MEMOIZE = 0x94;
    BINGET = b'h';
    LONG_BINGET = b'j';
}
