"""Checkpoints of old versions of PyTorch, and with values of other classes, written without PyTorch: the pickles name
its classes, and nothing of it is needed.

    python3 old.py        # writes old/
"""
import argparse
import collections
import datetime
import io
import pathlib
import pickle
import struct
import sys
import types
import zipfile

HERE = pathlib.Path(__file__).parent
MAGIC, VERSION = 0x1950A86A20F9469CFC6C, 1001


def module(name, **members):
    made = sys.modules[name] = types.ModuleType(name)
    for key, value in members.items():
        value.__module__, value.__qualname__ = name, key
        setattr(made, key, value)
    return made


def function():
    def call(*arguments):
        raise NotImplementedError
    return call


def a_class(name, bases=(), **members):
    return type(name, bases or (object,), members)


STORAGES = {code: a_class(f'{name}Storage') for code, name in (('f', 'Float'), ('q', 'Long'), ('B', 'Byte'))}
module('torch', FloatStorage=STORAGES['f'], LongStorage=STORAGES['q'], ByteStorage=STORAGES['B'], Tensor=a_class('Tensor'))
rebuild = module('torch._utils', _rebuild_tensor=function(), _rebuild_tensor_v2=function(), _rebuild_parameter=function())
typed = module('torch._tensor', _rebuild_from_type_v2=function())
module('torch.nn.modules.linear', Linear=a_class('Linear'))
numeric = module('numpy.core.multiarray', scalar=function(), _reconstruct=function())
ndarray = a_class('ndarray')
for name in ('numpy', 'numpy.core'):
    module(name)
setattr(sys.modules['numpy'], 'ndarray', ndarray)
ndarray.__module__ = 'numpy'


class Reduced:
    """What pickles as a call, and maybe a state."""

    def __init__(self, *parts):
        self.parts = parts

    def __reduce__(self):
        return self.parts


class Storage:
    def __init__(self, code, numbers, key, view=None):
        self.code, self.numbers, self.key, self.view = code, numbers, key, view

    def bytes(self):
        return struct.pack(f'<{len(self.numbers)}{self.code}', *self.numbers)


def tensor(storage, sizes, strides, offset=0, rebuild_as='_rebuild_tensor_v2'):
    more = (False, collections.OrderedDict()) if rebuild_as.endswith('v2') else ()
    return Reduced(getattr(rebuild, rebuild_as), (storage, offset, sizes, strides, *more))


def descriptor(code, order='<'):
    size = -1 if code != 'O8' else 8
    return Reduced(DTYPE, (code, False, True), (3, order, None, None, None, size, size, 0))


def DTYPE(*arguments):
    raise NotImplementedError


DTYPE.__module__, DTYPE.__qualname__, DTYPE.__name__ = 'numpy', 'dtype', 'dtype'
setattr(sys.modules['numpy'], 'dtype', DTYPE)


def scalar(code, raw, order='<'):
    return Reduced(numeric.scalar, (descriptor(code, order), raw))


def array(code, shape, raw, order='<', fortran=False):
    return Reduced(numeric._reconstruct, (ndarray, (0,), b'b'), (1, shape, descriptor(code, order), fortran, raw))


class Pickler(pickle.Pickler):
    def __init__(self, file, protocol, legacy):
        super().__init__(file, protocol)
        self.storages, self.legacy = {}, legacy

    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        self.storages.setdefault(value.key, value)
        parts = ('storage', STORAGES[value.code], value.key, 'cuda:0', len(self.storages[value.key].numbers))
        return parts + (value.view,) if self.legacy else parts


def legacy(value, protocol=2):
    file = io.BytesIO()
    for part in (MAGIC, VERSION, dict(protocol_version=VERSION, little_endian=True, type_sizes=dict(short=2, int=4, long=4))):
        pickle.dump(part, file, protocol)
    pickler = Pickler(file, protocol, True)
    pickler.dump(value)
    keys = sorted(pickler.storages)
    pickle.dump(keys, file, protocol)
    for key in keys:
        storage = pickler.storages[key]
        file.write(struct.pack('<q', len(storage.numbers)) + storage.bytes())
    return file.getvalue()


def archive_of(value):
    data = io.BytesIO()
    pickler = Pickler(data, 2, False)
    pickler.dump(value)
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w') as archive:
        archive.writestr(zipfile.ZipInfo('archive/data.pkl'), data.getvalue())
        for key, storage in pickler.storages.items():
            archive.writestr(zipfile.ZipInfo(f'archive/data/{key}'), storage.bytes())
        archive.writestr(zipfile.ZipInfo('archive/version'), b'3\n')
    return file.getvalue()


def training():
    """A model, the state of its optimizer, and numbers of NumPy."""
    weight, step = Storage('f', [1, 2, 3, 4, 5, 6], '94000000000001'), Storage('q', [7], '94000000000002')
    part = Storage('f', weight.numbers, weight.key, ('94000000000003', 2, 3))
    parameter = Reduced(rebuild._rebuild_parameter, (tensor(weight, (2, 3), (3, 1)), True, collections.OrderedDict()))
    return {
        'model': collections.OrderedDict(weight=parameter, turned=tensor(weight, (3, 2), (1, 3)), part=tensor(part, (2,), (1,), 1, '_rebuild_tensor')),
        'optimizer': {'state': {0: {'step': tensor(step, (), ()), 'exp_avg': tensor(weight, (0,), (1,))}}, 'param_groups': [{'lr': 0.1, 'betas': (0.9, 0.999), 'params': [0]}]},
        'best': scalar('f8', struct.pack('<d', 0.75)), 'epoch': scalar('i8', struct.pack('<q', -3)), 'done': scalar('b1', b'\1'), 'half': scalar('f2', b'\0\x38'),
        'big': scalar('u4', struct.pack('>I', 4000000000), '>'), 'mean': array('f4', (2, 2), struct.pack('<4f', 1, 3, 2, 4), fortran=True), 'counts': array('i2', (2,), struct.pack('>2h', 5, -6), '>'),
    }


def objects():
    """Tensors among values of other classes."""
    weight = Storage('f', [1, 2], '0')
    linear = sys.modules['torch.nn.modules.linear'].Linear()
    linear.weight = tensor(weight, (2,), (1,))
    return {
        'model': {'weight': tensor(weight, (2,), (1,)), 'tagged': Reduced(typed._rebuild_from_type_v2, (rebuild._rebuild_tensor_v2, sys.modules['torch'].Tensor, (weight, 0, (1,), (1,), False, collections.OrderedDict()), {'tag': 1}))},
        'args': argparse.Namespace(lr=0.1, path=pathlib.PurePosixPath('x')), 'when': datetime.date(2020, 1, 2), 'module': linear, 'classes': [int, 'a', linear, 3],
        'groups': collections.defaultdict(list, a=[1]), 'counter': collections.Counter('aab'), 'names': {'x'}, 'frozen': frozenset([2]), 'raw': bytearray(b'\0\xff'), 'z': 1j,
        'labels': array('O8', (1,), ['a']), 'text': scalar('U1', 'a'.encode('utf-32-le')), datetime.date(2020, 1, 1): 5, 'lr': 0.5,
    }


def python2():
    """A state dict as Python 2 writes it: texts of bytes, and an OrderedDict of a list of pairs."""
    text = lambda value: b'U' + bytes([len(value)]) + value
    storage = b'(' + text(b'storage') + b'ctorch\nFloatStorage\n' + text(b'140000') + text(b'cpu') + b'K\x02Nt' + b'Q'
    made = b'ctorch._utils\n_rebuild_tensor\n(' + storage + b'K\x00(K\x02t(K\x01ttR'
    value = b'\x80\x02ccollections\nOrderedDict\n](](' + text(b'fc.bias') + made + b'e' + b'](' + text(b'note') + text(b'\xff') + b'e' + b'e\x85R.'
    head = b''.join(pickle.dumps(part, 2) for part in (MAGIC, VERSION, dict(little_endian=True)))
    return head + value + b'\x80\x02](' + text(b'140000') + b'e.' + struct.pack('<q2f', 2, 0.5, 1.5)


if __name__ == '__main__':
    out = HERE / 'old'
    out.mkdir(exist_ok=True)
    (out / 'training.pt').write_bytes(legacy(training()))
    (out / 'training4.pt').write_bytes(legacy(training(), 4))
    (out / 'objects.pt').write_bytes(archive_of(objects()))
    (out / 'objects_legacy.pt').write_bytes(legacy(objects()))
    (out / 'python2.pt').write_bytes(python2())
