/** Linear algebra, which runs on the CPU on every device. */
import { close, equal, numbers, refuses, rows } from '../lib/expect.mjs';

const singular = (tensor) => tensor([[1, 2], [2, 4]]);

export const cases = {
  'factors multiply to the matrix': async ({ tensor, linalg, eye }) => {
    const x = tensor(rows(numbers(15, 3), 3));
    const { Q, R } = linalg.qr(x);
    close(await Q.matmul(R).tolist(), await x.tolist());
    close(await Q.mT.matmul(Q).tolist(), await eye(3).tolist());
    const { U, S, Vh } = linalg.svd(x, false);
    close(await U.mul(S).matmul(Vh).tolist(), await x.tolist());
    const gram = x.mT.matmul(x).add(eye(3));
    const L = linalg.cholesky(gram);
    close(await L.matmul(L.mT).tolist(), await gram.tolist());
    const { eigenvalues, eigenvectors: V } = linalg.eigh(gram);
    close(await V.mul(eigenvalues).matmul(V.mT).tolist(), await gram.tolist());
  },

  'a solution, and its gradients': async ({ tensor, linalg }) => {
    const A = tensor([[3, 1], [1, 2]], { requiresGrad: true });
    const b = tensor([9, 8], { requiresGrad: true });
    const x = linalg.solve(A, b);
    close(await x.data(), [2, 3]);
    x.sum().backward();
    close(await b.grad.data(), [0.2, 0.4]);
    close(await A.grad.tolist(), [[-0.4, -0.6], [-0.8, -1.2]]);
    close(await linalg.det(A).item(), 5);
    close(await linalg.inv(A).matmul(A).tolist(), [[1, 0], [0, 1]]);
  },

  'steps on the host stand between those of the device': async ({ tensor, linalg, synchronize }) => {
    let x = tensor([[2, 1], [1, 3]]);
    const reads = [];
    for (let step = 0; step < 5; step += 1) {
      x = linalg.inv(x.add(step)).sub(step);
      reads.push(x.sum().item());
      x = linalg.inv(x.add(step)).sub(step);
    }
    close(await x.tolist(), [[2, 1], [1, 3]], { relative: 1e-3 });
    await synchronize();
    close((await Promise.all(reads)).map(Number.isFinite), [true, true, true, true, true]);
  },

  'a matrix that has no inverse is an error when it is read, and work goes on': async ({ tensor, linalg, eye }) => {
    const bad = linalg.inv(singular(tensor)).mul(2);
    const good = linalg.inv(eye(2).mul(4));
    await refuses(() => bad.data(), 'linalg', /inv/, /singular/);
    close(await good.tolist(), [[0.25, 0], [0, 0.25]]);
    await refuses(() => linalg.cholesky(tensor([[1, 2], [2, 1]])).tolist(), 'linalg', /cholesky/, /positive/);
    const { inverse, info } = linalg.invEx(singular(tensor));
    equal(inverse.shape, [2, 2]);
    equal(await info.item() > 0, true);
    close(await linalg.solve(eye(2), tensor([1, 2])).data(), [1, 2]);
  },

  'large products fuse multiplication and addition on the CPU': async ({ zeros, tensor }, device) => {
    if (device !== 'cpu') return;
    // -1 + (1 + 2^-12)^2: if the square is rounded separately, its last bit is lost.
    const [size, odd] = [64, 1 + 2 ** -12];
    const [a, b] = [zeros(size, size), zeros(size, size)];
    a.slice(1, 0, 2).copy_(tensor([-1, odd]));
    b.slice(0, 0, 2).copy_(tensor([[1], [odd]]));
    equal(await a.matmul(b).at(0, 0).item(), 2 ** -11 + 2 ** -24);
  },

  'shapes that do not fit are refused at the call': async ({ ones, linalg }) => {
    await refuses(() => linalg.inv(ones(2, 3)), 'shape', /inv/, /2, 3/);
    await refuses(() => linalg.solve(ones(2, 2), ones(3)), 'shape', /solve/);
    await refuses(() => linalg.qr(ones(2, 2), 'most'), 'argument', /qr/, /most/);
  },
};
