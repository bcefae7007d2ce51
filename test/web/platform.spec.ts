import { saveFile } from '../../web/src/platform';

afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'document');
});

test('a download can be read for a minute after the click', () => {
  const link = { href: '', download: '', click: jest.fn() };
  Object.assign(globalThis, { document: { createElement: () => link } });
  const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(jest.fn());
  const revoked = jest.spyOn(URL, 'revokeObjectURL');

  saveFile('cv.pdf', new Blob(['pdf']));
  expect(link.download).toBe('cv.pdf');
  expect(link.click).toHaveBeenCalledTimes(1);
  expect(revoked).not.toHaveBeenCalled();

  const [timer] = timers.mock.calls;
  expect(timer?.[1]).toBe(60_000);
  timer?.[0]();
  expect(revoked).toHaveBeenCalledWith(link.href);
});
