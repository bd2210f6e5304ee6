//! Small scripts give the values that Python gives.

use lanthorn_program::{Native, Value};
use lanthorn_script::{Error, Limits, Script, script};
use lanthorn_tensor::{Device, Tensor};

fn compiled(source: &str) -> Script<Native> {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    script(source, Native::new(&device)).unwrap_or_else(|error| panic!("{source}\n{error}"))
}

fn run(source: &str, args: Vec<Value<Tensor>>) -> Result<Value<Tensor>, Error> {
    pollster::block_on(compiled(source).call("f", args, vec![]))
}

/// The text of a value, with the elements of tensors.
fn shown(value: &Value<Tensor>) -> String {
    let all = |values: &[Value<Tensor>]| values.iter().map(shown).collect::<Vec<_>>().join(", ");
    match value {
        Value::Tensor(tensor) => {
            let numbers = tensor.detach().to(lanthorn_tensor::DType::F32).unwrap();
            format!("{:?}", pollster::block_on(numbers.to_vec::<f32>()).unwrap())
        }
        Value::List(values) => format!("[{}]", all(values)),
        Value::Tuple(values) => format!("({})", all(values)),
        Value::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", shown(key), shown(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        value => value.short(),
    }
}

/// Runs the body of a function without arguments.
fn body(lines: &str) -> String {
    let indented: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    match run(&format!("def f():\n{indented}"), vec![]) {
        Ok(value) => shown(&value),
        Err(error) => panic!("{lines}\n{error}"),
    }
}

#[test]
fn expressions_are_pythons() {
    for (expression, expected) in [
        ("1 + 2 * 3 ** 2 - -4", "23"),
        ("7 // 2, -7 // 2, 7 % -3, 7 / 2", "(3, -4, -2, 3.5)"),
        ("1 < 2 < 3, 1 < 3 < 2, 3 > 2 > 3", "(true, false, false)"),
        ("2 in [1, 2], 'b' in 'abc', 3 not in {1: 2}", "(true, true, true)"),
        ("None is None, [] is not None", "(true, true)"),
        ("0 or 5, 3 and 0, not 3", "(5, 0, false)"),
        ("1 if 2 > 3 else 4 if 0 else 5", "5"),
        ("[1, 2, 3, 4][1:], [1, 2, 3, 4][::-2], 'abcd'[-3:3], (1, 2)[-1]", "([2, 3, 4], [4, 2], bc, 2)"),
        ("[x * y for x in range(3) for y in [1, 10] if x > 0]", "[1, 10, 2, 20]"),
        ("{k: v for k, v in zip(['a', 'b'], range(2))}", "{a: 0, b: 1}"),
        ("f'{1 + 1:>4}|{2.5!r}|{\"x\":<3}|{3.14159:.2f}|{10:05d}|{{}}'", "   2|2.5|x  |3.14|00010|{}"),
        ("'{} {1} {n:x}'.format(1, 2, n=255)", "1 2 ff"),
        ("'%s-%d-%.1f' % ('a', 2, 1.25)", "a-2-1.2"),
        ("str([1.0, 'a', None, True, (1,)])", "[1.0, 'a', None, True, (1,)]"),
        ("str(1e20), str(1e-5), str(0.1), str(1e16), str(123456.0)", "(1e+20, 1e-05, 0.1, 1e+16, 123456.0)"),
        ("[*[1, 2], 3, *(4, 5)]", "[1, 2, 3, 4, 5]"),
        ("list(enumerate(['a', 'b'], 1)), list(reversed([1, 2]))", "([(1, a), (2, b)], [2, 1])"),
        ("sorted([3, 1, 2], reverse=True), min(3, 1, 2), max([1, 5]), sum([1, 2, 3])", "([3, 2, 1], 1, 5, 6)"),
        ("int('12') + int(3.9) + int(True), float('1.5'), bool('')", "(16, 1.5, false)"),
        ("math.floor(2.7), math.ceil(2.1), math.sqrt(9.0), math.gcd(12, 18)", "(2, 3, 3, 6)"),
        ("abs(-3), round(2.5), divmod(7, 2), 1 << 4, 5 ^ 3, ~5", "(3, 2, (3, 1), 16, 6, -6)"),
        ("' A b '.strip().lower().split(), ','.join(['x', 'y']), 'aXbX'.replace('X', '-')", "([a, b], x,y, a-b-)"),
        ("'abcabc'.find('c'), 'abcabc'.rfind('c'), 'a.b.c'.rsplit('.', 1), 'x'.zfill(3)", "(2, 5, [a.b, c], 00x)"),
        ("any([0, 1]), all([1, 0]), ord('a'), chr(98), hex(255)", "(true, false, 97, b, 0xff)"),
    ] {
        assert_eq!(body(&format!("return {expression}")), expected, "{expression}");
    }
}

#[test]
fn statements_are_pythons() {
    for (lines, expected) in [
        ("a = b = [1]\nb.append(2)\nreturn a", "[1, 2]"),
        ("a, (b, *c) = 1, (2, 3, 4)\nreturn a, b, c", "(1, 2, [3, 4])"),
        ("t = 0\nfor i in range(10):\n  if i == 2:\n    continue\n  if i == 5:\n    break\n  t += i\nreturn t", "8"),
        ("i = 0\nwhile True:\n  i += 1\n  if i > 3:\n    break\nreturn i", "4"),
        ("d = {'a': 1}\nd['b'] = 2\ndel d['a']\nd.setdefault('c', 3)\nreturn d, d.get('x', 9)", "({b: 2, c: 3}, 9)"),
        ("l = [3, 1, 2]\nl.sort()\nl.insert(0, 9)\nl[1:3] = [7]\nl.remove(3)\nreturn l, l.pop(), l", "([9], 7, [9])"),
        (
            "d = {1: 'x', 2: 'y'}\ns = ''\nfor k, v in d.items():\n  s += f'{k}{v}'\nreturn s, list(d), 2 in d",
            "(1x2y, [1, 2], true)",
        ),
        (
            "x = torch.tensor([[1, 2], [3, 4]])\nx[0, 1] = 9\nx[1] += 1\nreturn x, x.shape, x[:, 0].sum().item()",
            "([1.0, 9.0, 4.0, 5.0], [2, 2], 5)",
        ),
        (
            "x = torch.arange(6).view(2, 3)\nreturn x[..., -1], x[None].size(), x[x > 3], x[[1, 0]][0]",
            "([2.0, 5.0], [1, 2, 3], [4.0, 5.0], [3.0, 4.0, 5.0])",
        ),
        (
            "x = torch.ones(2, 2)\ny = 3 - x @ x\nreturn y, bool((y > 0).all()), float(y.sum())",
            "([1.0, 1.0, 1.0, 1.0], true, 4)",
        ),
        (
            "x = torch.tensor([1.0, -2.0])\nfor v in x:\n  if v < 0:\n    return 'negative', F.relu(x)\nreturn 'no', x",
            "(negative, [1.0, 0.0])",
        ),
        (
            "assert 1 + 1 == 2, 'math'\nx: List[int] = []\nfor a, b in zip([1, 2], [3, 4]):\n  x.append(a * b)\nreturn x",
            "[3, 8]",
        ),
        ("x = torch.fft.rfft(torch.ones(4))\nreturn x.abs(), x.is_complex(), x.shape", "([4.0, 0.0, 0.0], true, [3])"),
        (
            "n = torch.tensor([3, 1, 2]).tolist()\nx, y = torch.max(torch.tensor([[1.0, 5.0]]), dim=1)\nreturn n, x, y",
            "([3, 1, 2], [5.0], [1.0])",
        ),
        (
            "x = torch.full([2], 2)\nreturn 2 ** x, 7 - x, x // 2, -x, x == 2, 1 < x, x.to(torch.float32).dtype == torch.float",
            "([4.0, 4.0], [5.0, 5.0], [1.0, 1.0], [-2.0, -2.0], [1.0, 1.0], [1.0, 1.0], true)",
        ),
        ("a = torch.jit.fork(torch.relu, torch.tensor([-1.0]))\nreturn torch.jit.wait(a)", "[0.0]"),
        ("with torch.no_grad():\n  e = torch.is_grad_enabled()\nreturn e, torch.is_grad_enabled()", "(false, true)"),
        (
            "x = torch.zeros(3)\nreturn isinstance(x, Tensor), isinstance([1], List[int]), isinstance([1], List[str]), isinstance(None, Optional[int])",
            "(true, true, false, true)",
        ),
    ] {
        assert_eq!(body(lines), expected, "{lines}");
    }
}

const CLASSES: &str = "
from_outside = 3

class Color(Enum):
  RED = 1
  BLUE = 'b'

class Point(NamedTuple):
  x: int
  y: float = 0.5

class Counter:
  step: int = 2
  def __init__(self, start: int):
    self.n = start
  def up(self, by: Optional[int] = None) -> int:
    self.n += self.step if by is None else by
    return self.n
  def __add__(self, other: int) -> int:
    return self.n + other
  def __len__(self):
    return self.n
  def __getitem__(self, i: int):
    return self.n * i
  @property
  def twice(self):
    return self.n * 2
  @staticmethod
  def make(n: int):
    return Counter(n)

def helper(x: float, *, scale: float = 2):
  return x * scale

def f():
  c = Counter(1)
  alias = c
  alias.up()
  up = c.up
  up(by=10)
  p = Point(3)
  fn = helper
  return [c.n, c + 1, len(c), c[2], c.twice, Counter.make(7).n, from_outside], p.x, p._replace(x=4), \
    Color.RED.value, Color('b') == Color.BLUE, fn(1, scale=3), Color.BLUE.name
";

#[test]
fn classes_named_tuples_and_enumerations_work() {
    let value = run(CLASSES, vec![]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(shown(&value), "([13, 14, 13, 26, 26, 7, 3], 3, {x: 4, y: 0.5}, 1, true, 3, BLUE)");
}

#[test]
fn exceptions_have_class_message_and_place() {
    let error = run("def f():\n  x = 1\n  raise ValueError(f'bad {x}')\n", vec![]).unwrap_err();
    assert!(matches!(&error, Error::Raised { class, message, .. } if class == "ValueError" && message == "bad 1"));
    assert_eq!(error.location().map(|place| (place.line, place.column)), Some((3, 3)));
    for (lines, message) in [
        ("return [1][5]", "IndexError"),
        ("return {'a': 1}['b']", "KeyError"),
        ("return 1 // 0", "ZeroDivisionError"),
        ("assert 1 > 2, 'no'", "AssertionError: no"),
        ("return 9223372036854775807 + 1", "64 bits"),
        ("return torch.zeros(2) @ torch.zeros(3)", "matmul"),
        ("if False:\n  y = 1\nreturn y", "the variable y has no value"),
        ("return undefined", "undefined is not defined"),
        ("return [].__class__", "no attribute __class__"),
        ("return torch.no_such_operation(torch.zeros(2))", "no_such_operation is not available"),
        ("return os.system('x')", "os.system is not defined"),
        ("return 'a' + 1", "add does not take (str, int)"),
    ] {
        let indented: String = lines.lines().map(|line| format!("  {line}\n")).collect();
        let error = run(&format!("def f():\n{indented}"), vec![]).unwrap_err();
        assert!(error.to_string().contains(message) && error.location().is_some(), "{lines}: {error}");
    }
}

#[test]
fn hostile_scripts_are_stopped() {
    let limits = || Limits { steps: 200_000, ..Limits::default() };
    for lines in [
        "while True:\n  pass",
        "return f()",
        "x = [0]\nwhile True:\n  x = x + x",
        "x = 'a'\nwhile True:\n  x += x",
        "return [0] * 1000000000000",
        "return 'x'.ljust(10000000000)",
        "return list(range(10000000000))",
        "return f'{1:99999999}'",
        "x = []\nx.append(x)\nreturn x",
        "x = []\nx.append(x)\nreturn str(x)",
        "x = []\nx.append(x)\ny = []\ny.append(y)\nreturn x == y",
        "x = [1]\nfor i in x:\n  x.append(i)",
        "x = [1]\nfor i in range(31):\n  x = [x, x]\nreturn x",
        "x = [1]\ny = [1]\nfor i in range(60):\n  x, y = [x, x], [y, y]\nreturn x == y",
    ] {
        let indented: String = lines.lines().map(|line| format!("  {line}\n")).collect();
        let mut compiled = compiled(&format!("def f():\n{indented}"));
        compiled.set_limits(limits());
        let error = pollster::block_on(compiled.call("f", vec![], vec![])).unwrap_err();
        assert!(matches!(error, Error::Limit { .. } | Error::Raised { .. }), "{lines}: {error}");
    }
    // Values that are nested deeply are dropped without recursion.
    assert_eq!(body("x: List[int] = []\nfor i in range(100000):\n  x = [x]\nreturn len(x)"), "1");
    let mut endless = compiled("def f():\n  while True:\n    pass\n");
    let limits = Limits::default();
    limits.abort.set(true);
    endless.set_limits(limits);
    assert!(matches!(pollster::block_on(endless.call("f", vec![], vec![])), Err(Error::Aborted { .. })));
}
