//! Small scripts return the same values as in Python.

use lanthorn_program::{Native, Value};
use lanthorn_script::{Error, Limits, Script, script};
use lanthorn_tensor::{Device, Tensor};

fn compile(source: &str) -> Script<Native> {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    script(source, Native::new(&device)).unwrap_or_else(|error| panic!("{source}\n{error}"))
}

fn run(source: &str, args: Vec<Value<Tensor>>) -> Result<Value<Tensor>, Error> {
    pollster::block_on(compile(source).call("f", args, vec![]))
}

/// Formats a value with the elements of tensors.
fn show(value: &Value<Tensor>) -> String {
    let all = |values: &[Value<Tensor>]| values.iter().map(show).collect::<Vec<_>>().join(", ");
    match value {
        Value::Tensor(tensor) => {
            let numbers = tensor.detach().to(lanthorn_tensor::DType::F32).unwrap();
            format!("{:?}", pollster::block_on(numbers.to_vec::<f32>()).unwrap())
        }
        Value::List(values) => format!("[{}]", all(values)),
        Value::Tuple(values) => format!("({})", all(values)),
        Value::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", show(key), show(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        value => value.short(),
    }
}

/// Runs the body of a function without arguments.
fn body(lines: &str) -> String {
    let indented: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    match run(&format!("def f():\n{indented}"), vec![]) {
        Ok(value) => show(&value),
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

#[test]
fn loops_of_files_count_their_ranges() {
    // The compiler of TorchScript writes `for i in range(a, b, s)` with the length of the range and
    // the integer at each index.
    for (range, expected) in [
        ("0, 7, 3", "[0, 3, 6]"),
        ("0, 6, 3", "[0, 3]"),
        ("5, -2, -3", "[5, 2, -1]"),
        ("-3, 3, 2", "[-3, -1, 1]"),
        ("3, 3, 1", "[]"),
        ("0, 5, -1", "[]"),
        ("4, 1, 2", "[]"),
    ] {
        let (start, step) = (range.split(',').next().unwrap(), range.rsplit(',').next().unwrap());
        let lines = format!(
            "l: List[int] = []\nfor _1 in range(torch.__range_length({range})):\n  l.append(torch.__derive_index(_1, {start}, {step}))\nm: List[int] = []\nfor i in range({range}):\n  m.append(i)\nassert l == m, 'both loops'\nreturn l"
        );
        assert_eq!(body(&lines), expected, "{range}");
    }
    let zero = run("def f():\n  return torch.__range_length(0, 3, 0)\n", vec![]).unwrap_err().to_string();
    assert!(zero.contains("range() arg 3 must not be zero"), "{zero}");
}

#[test]
fn questions_about_tensors_are_answered() {
    let answered = "is_nested is_cpu is_cuda is_meta is_mps is_sparse is_sparse_csr is_quantized is_xpu requires_grad";
    for name in answered.split(' ') {
        let expected = if name == "is_cpu" { "(true, true)" } else { "(false, false)" };
        assert_eq!(body(&format!("x = torch.ones(2)\nreturn x.{name}, ops.prim.{name}(x)")), expected, "{name}");
    }
    assert_eq!(
        body("x = torch.ones(2, 3)\nreturn x.itemsize, x.nbytes, torch.is_conj(x), x.output_nr"),
        "(4, 24, false, 0)"
    );
    // Modes without a value accept the value 0.
    assert_eq!(body("return F.pad(torch.ones(3), [1, 0], 'reflect', 0.)"), "[1.0, 1.0, 1.0, 1.0]");
    assert_eq!(body("return torch.pad(torch.ones(1, 2), [0, 1], 'replicate', 0)"), "[1.0, 1.0, 1.0]");
    // Arguments that a file omits have the schema's defaults.
    let device = "x = torch.ones(2)\nreturn torch.to(x, torch.device('cpu')), torch.to(x, 3), torch.to(x, dtype=3), torch.to(x, x)";
    assert_eq!(body(device), "([1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0])");
    let more = "x = torch.arange(6.).view(2, 3)\nreturn torch.slice(x), torch.unbind(x)[1], torch.split('a b'), torch.sum(x), torch.argmax(x)";
    assert_eq!(body(more), "([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 4.0, 5.0], [a, b], [15.0], [5.0])");
    let grouped = "a = torch.arange(6.).view(3, 2)\nb = torch.ones(2, 2, 1)\nb[1] = 2.\nreturn torch._grouped_mm(a, b, torch.tensor([1, 3], dtype=torch.int32))";
    assert_eq!(body(grouped), "[1.0, 10.0, 18.0]");
}

/// Returns the real and imaginary parts of an expression of `z = [3+4i, -1+0.5i]` and `w = [1-1i,
/// 2i]`.
fn complex(expression: &str) -> Vec<f32> {
    let lines = format!(
        "def f():\n  z = torch.complex(torch.tensor([3., -1.]), torch.tensor([4., 0.5]))\n  w = torch.complex(torch.tensor([1., 0.]), torch.tensor([-1., 2.]))\n  r = {expression}\n  return torch.view_as_real(r).flatten() if r.is_complex() else r.to(torch.float32).flatten()\n"
    );
    match run(&lines, vec![]) {
        Ok(Value::Tensor(tensor)) => pollster::block_on(tensor.to_vec::<f32>()).unwrap(),
        Ok(value) => panic!("{expression}: {}", show(&value)),
        Err(error) => panic!("{expression}: {error}"),
    }
}

#[test]
fn complex_numbers_are_carried_by_pairs() {
    let rows: &[(&str, &[f64])] = &[
        ("z + w", &[4.0, 3.0, -1.0, 2.5]),
        ("z - 1", &[2.0, 4.0, -2.0, 0.5]),
        ("1 - z", &[-2.0, -4.0, 2.0, -0.5]),
        ("z + torch.ones(2)", &[4.0, 4.0, 0.0, 0.5]),
        ("z * w", &[7.0, 1.0, -1.0, -2.0]),
        ("z * 2", &[6.0, 8.0, -2.0, 1.0]),
        ("z / w", &[-0.5, 3.5, 0.25, 0.5]),
        ("z / 2", &[1.5, 2.0, -0.5, 0.25]),
        ("z ** 2", &[-7.0, 24.0, 0.75, -1.0]),
        ("z ** -1", &[0.12, -0.16, -0.8, -0.4]),
        ("z.reciprocal()", &[0.12, -0.16, -0.8, -0.4]),
        ("z ** 0.5", &[2.0, 1.0, 0.242_934_13, 1.029_085_5]),
        ("z ** w", &[9.810_159, -7.967_923, 0.004_603_23, 0.001_044_58]),
        ("-z", &[-3.0, -4.0, 1.0, -0.5]),
        ("z.abs()", &[5.0, 1.118_034]),
        ("z.angle()", &[0.927_295_2, 2.677_945]),
        ("z.conj()", &[3.0, -4.0, -1.0, -0.5]),
        ("z.real + z.imag", &[7.0, -0.5]),
        ("torch.exp(w)", &[1.468_693_9, -2.287_355_3, -0.416_146_8, 0.909_297_4]),
        ("torch.log(z)", &[1.609_437_9, 0.927_295_2, 0.111_571_78, 2.677_945]),
        ("torch.sqrt(z)", &[2.0, 1.0, 0.242_934_13, 1.029_085_5]),
        ("torch.sin(w)", &[1.298_457_6, -0.634_963_9, 0.0, 3.626_860_4]),
        ("torch.cos(w)", &[0.833_730_03, 0.988_897_7, 3.762_195_6, 0.0]),
        ("torch.tan(w)", &[0.271_752_6, -1.083_923_3, 0.0, 0.964_027_6]),
        ("torch.tanh(w)", &[1.083_923_3, -0.271_752_6, 0.0, -2.185_039_9]),
        ("torch.sinh(w)", &[0.634_963_9, -1.298_457_6, 0.0, 0.909_297_4]),
        ("torch.cosh(w)", &[0.833_730_03, -0.988_897_7, -0.416_146_8, 0.0]),
        ("torch.sgn(z)", &[0.6, 0.8, -0.894_427_2, 0.447_213_6]),
        ("torch.square(z)", &[-7.0, 24.0, 0.75, -1.0]),
        ("z == w", &[0.0, 0.0]),
        ("z != z", &[0.0, 0.0]),
        ("torch.isfinite(z)", &[1.0, 1.0]),
        ("z.sum()", &[2.0, 4.5]),
        ("z.mean(0)", &[1.0, 2.25]),
        ("z.prod(0)", &[-5.0, -2.5]),
        ("torch.cumprod(z, 0)", &[3.0, 4.0, -5.0, -2.5]),
        ("torch.cumprod(torch.stack([z, w]), -2)", &[3.0, 4.0, -1.0, 0.5, 7.0, 1.0, -1.0, -2.0]),
        ("z.var()", &[14.125]),
        ("z.var(unbiased=False)", &[7.0625]),
        ("z.var(0, False)", &[7.0625]),
        ("z.std(dim=0, correction=0)", &[2.657_536_5]),
        ("torch.stack([z, w]).var(0)", &[14.5, 1.625]),
        ("torch.stack([z, w]).std(1, keepdim=True)", &[3.758_324_1, 2.236_068]),
        ("torch.acos(z)", &[0.936_812_4, -2.305_509_1, 2.466_703_9, -0.732_857_64]),
        ("torch.asin(z)", &[0.633_983_9, 2.305_509_1, -0.895_907_4, 0.732_857_64]),
        ("torch.arcsin(w)", &[0.666_239_44, -1.061_275_1, 0.0, 1.443_635_5]),
        ("torch.atan(z)", &[1.448_307, 0.158_997_19, -0.847_575_66, 0.238_877_86]),
        ("torch.acosh(z)", &[2.305_509_1, 0.936_812_4, 0.732_857_64, 2.466_703_9]),
        ("torch.acosh(w)", &[1.061_275_1, -0.904_556_87, 1.443_635_5, 1.570_796_4]),
        ("torch.asinh(z)", &[2.299_914_1, 0.917_616_84, -0.926_133_1, 0.349_439_05]),
        ("torch.atanh(z)", &[0.117_500_92, 1.409_921_1, -0.708_303_33, 0.907_887_46]),
        ("torch.arctanh(w)", &[0.402_359_49, -1.017_221_9, 0.0, 1.107_148_8]),
        (
            "torch.acos(torch.complex(torch.tensor([2., -2.]), torch.zeros(2)))",
            &[0.0, -1.316_957_95, 3.141_592_74, -1.316_957_95],
        ),
        (
            "torch.atan(torch.complex(torch.tensor([1e10, 0.]), torch.tensor([1e10, 2.])))",
            &[1.570_796_37, 5e-11, 1.570_796_37, 0.549_306_15],
        ),
        (
            "torch.asinh(torch.complex(torch.tensor([1e10, -2.]), torch.tensor([1e10, 0.])))",
            &[24.065_572_7, 0.785_398_19, -1.443_635_46, 0.0],
        ),
        ("torch.sinc(w)", &[-1.838_039, 1.838_038_7, 42.612_926, 0.0]),
        ("torch.sinc(z * 0)", &[1.0, 0.0, 1.0, 0.0]),
        ("torch.addmv(z, torch.stack([z, w]), w)", &[9.0, 3.0, -5.0, -1.5]),
        ("torch.addr(torch.stack([z, w]), z, w)", &[10.0, 5.0, -9.0, 6.5, 0.5, 0.5, -1.0, 0.0]),
        ("torch.istft(torch.stack([z, w, z]), 4, 2, window=torch.ones(4))", &[0.25, -0.75]),
        ("torch.istft(torch.stack([z, w, z]), 4, 2, length=6)", &[0.25, -0.75, -0.5, 1.0, 0.0, 0.0]),
        (
            "torch.istft(torch.stack([z, w, z]), 4, 2, window=torch.tensor([0.5, 1., 1., 0.5]), center=False)",
            &[4.0, 0.5, 0.6, -1.0, -0.5, 2.0],
        ),
        ("torch.cumsum(z, -1)", &[3.0, 4.0, 2.0, 4.5]),
        ("torch.norm(z)", &[5.123_475]),
        ("torch.dot(z, w)", &[6.0, -1.0]),
        ("torch.vdot(z, w)", &[0.0, -9.0]),
        ("torch.outer(z, w)", &[7.0, 1.0, -8.0, 6.0, -0.5, 1.5, -1.0, -2.0]),
        ("torch.stack([z, w]) @ z", &[-6.25, 23.0, 6.0, -1.0]),
        ("torch.einsum('i,j->ij', [z, w]).sum()", &[-2.5, 6.5]),
        ("torch.where(torch.tensor([True, False]), z, w)", &[3.0, 4.0, 0.0, 2.0]),
        ("z.masked_fill(torch.tensor([True, False]), 9)", &[9.0, 0.0, -1.0, 0.5]),
        ("F.pad(z, [1, 0])", &[0.0, 0.0, 3.0, 4.0, -1.0, 0.5]),
        ("torch.flip(z, [-1])", &[-1.0, 0.5, 3.0, 4.0]),
        ("torch.roll(z, 1)", &[-1.0, 0.5, 3.0, 4.0]),
        ("torch.cat([z, w], -1).view(2, 2).t()", &[3.0, 4.0, 1.0, -1.0, -1.0, 0.5, 0.0, 2.0]),
        ("torch.tril(torch.stack([z, w]))", &[3.0, 4.0, 0.0, 0.0, 1.0, -1.0, 0.0, 2.0]),
        ("torch.stack([z, w]).mH", &[3.0, -4.0, 1.0, 1.0, -1.0, -0.5, 0.0, -2.0]),
        ("torch.stack([z, w]).permute(1, 0)[0]", &[3.0, 4.0, 1.0, -1.0]),
        ("torch.gather(z, 0, torch.tensor([1, 1]))", &[-1.0, 0.5, -1.0, 0.5]),
        ("z.repeat(2)", &[3.0, 4.0, -1.0, 0.5, 3.0, 4.0, -1.0, 0.5]),
        ("torch.ones_like(z)", &[1.0, 0.0, 1.0, 0.0]),
        ("torch.zeros(1, dtype=torch.complex64)", &[0.0, 0.0]),
        ("torch.ones(1).to(torch.complex64) * z", &[3.0, 4.0, -1.0, 0.5]),
        ("torch.addcmul(z, w, w)", &[3.0, 2.0, -5.0, 0.5]),
        ("torch.isclose(z, z + 1e-9)", &[1.0, 1.0]),
    ];
    let mut odd = Vec::new();
    for (expression, wanted) in rows {
        let found = complex(expression);
        let near = |(a, b): (&f32, &f64)| (f64::from(*a) - b).abs() <= 2e-5 * (1.0 + b.abs());
        if found.len() != wanted.len() || !found.iter().zip(*wanted).all(near) {
            odd.push(format!("{expression}: {found:?}, not {wanted:?}"));
        }
    }
    assert!(odd.is_empty(), "{}", odd.join("\n"));
}

/// As in PyTorch, which refuses a window whose squares add up to less than 1e-11 at a sample.
#[test]
fn windows_that_leave_samples_out_are_refused() {
    let refused = [
        "window=torch.tensor([0., 1., 1., 1.]), center=False",
        "window=torch.tensor([1., 1., 1e-6, 1.]), center=False",
        "hop_length=3, window=torch.tensor([1., 1., 0., 0.])",
        "win_length=2, center=False",
        "hop_length=3, win_length=2",
        "hop_length=4, win_length=3",
    ];
    let call = |arguments: &str| {
        let hop = if arguments.contains("hop_length") { "" } else { "hop_length=2, " };
        let spectra = "torch.ones(3, 2, dtype=torch.complex64)";
        format!("def f():\n  return torch.istft({spectra}, 4, {hop}{arguments})\n")
    };
    for arguments in refused {
        let error = run(&call(arguments), vec![]).expect_err(arguments).to_string();
        assert!(error.contains("istft") && error.contains("window overlap add min: 1"), "{arguments}: {error}");
    }
    // Each frame is [1, 0, 0, 0] before its window.
    let accepted = [
        ("window=torch.tensor([0., 1., 1., 1.])", "[0.0, 0.0]"),
        ("window=torch.tensor([0.5, 1., 1., 1.])", "[0.4, 0.0]"),
        ("window=torch.tensor([1., 1., 1e-5, 1.]), center=False", "[1.0, 0.0, 1.0, 0.0, 0.0, 0.0]"),
        ("win_length=2", "[0.0, 0.0]"),
        ("hop_length=4, win_length=4", "[0.0, 0.0, 1.0, 0.0]"),
    ];
    for (arguments, wanted) in accepted {
        let found = run(&call(arguments), vec![]).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        assert_eq!(show(&found), wanted, "{arguments}");
    }
    let error = run(&call("length=0"), vec![]).expect_err("no samples").to_string();
    assert!(error.contains("no samples"), "{error}");
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
    assert_eq!(show(&value), "([13, 14, 13, 26, 26, 7, 3], 3, {x: 4, y: 0.5}, 1, true, 3, BLUE)");
}

#[test]
fn exceptions_have_class_message_and_position() {
    let error = run("def f():\n  x = 1\n  raise ValueError(f'bad {x}')\n", vec![]).unwrap_err();
    assert!(matches!(&error, Error::Raised { class, message, .. } if class == "ValueError" && message == "bad 1"));
    assert_eq!(error.location().map(|location| (location.line, location.column)), Some((3, 3)));
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
        let mut compiled = compile(&format!("def f():\n{indented}"));
        compiled.set_limits(limits());
        let error = pollster::block_on(compiled.call("f", vec![], vec![])).unwrap_err();
        assert!(matches!(error, Error::Limit { .. } | Error::Raised { .. }), "{lines}: {error}");
    }
    // Deeply nested values are dropped without recursion.
    assert_eq!(body("x: List[int] = []\nfor i in range(100000):\n  x = [x]\nreturn len(x)"), "1");
    let mut endless = compile("def f():\n  while True:\n    pass\n");
    let limits = Limits::default();
    limits.abort.set(true);
    endless.set_limits(limits);
    assert!(matches!(pollster::block_on(endless.call("f", vec![], vec![])), Err(Error::Aborted { .. })));
}
