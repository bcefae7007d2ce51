/** The candidate API over a network that the test controls. */
import { ApiProblem, ApiUnreachable, CandidateApi } from '../../web/src/api/client';

const LONG_MS = 600_000;

/** Responds to every fetch, and returns what was asked for and the longest time that it may take. */
function network(result: Response | Error) {
  const fetched = jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation(() =>
      result instanceof Error ? Promise.reject(result) : Promise.resolve(result),
    );
  const timeouts = jest.spyOn(AbortSignal, 'timeout');
  return {
    paths: () => fetched.mock.calls.map(([path]) => path),
    timeouts: () => timeouts.mock.calls.map(([ms]) => ms),
  };
}

/** An XMLHttpRequest that gets this response as soon as it is sent. */
function uploadsGet(status: number, responseText: string) {
  class FakeRequest {
    static latest: FakeRequest | null = null;
    readonly status = status;
    readonly responseText = responseText;
    readonly upload = {};
    timeout = 0;
    onload: () => void = () => undefined;
    open = () => undefined;
    setRequestHeader = () => undefined;
    getResponseHeader = () => null;
    send = () => {
      FakeRequest.latest = this;
      this.onload();
    };
  }
  Object.assign(globalThis, { XMLHttpRequest: FakeRequest });
  return () => FakeRequest.latest?.timeout;
}

const aFile = () => ({
  id: 'id1',
  file: new File(['pdf'], 'cv.pdf'),
  onProgress: () => undefined,
  signal: new AbortController().signal,
});

afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'XMLHttpRequest');
});

test('a voice and a file may take ten minutes to arrive, a message fifteen seconds', async () => {
  const api = new CandidateApi();
  const { timeouts } = network(Response.json({ seq: 1 }));
  await api.sendVoice({ id: 'id1', audio: new Blob(['sound']), durationS: 3 });
  network(Response.json({ seq: 2 }));
  await api.send({ id: 'id2', text: 'hello' });
  expect(timeouts()).toEqual([LONG_MS, 15_000]);

  const timeout = uploadsGet(202, '{}');
  await api.sendFile(aFile());
  expect(timeout()).toBe(LONG_MS);
});

test('the data of a candidate are read as they are, and may take ten minutes', async () => {
  const { paths, timeouts } = network(Response.json({ profile: { name: 'Ada' } }));

  const data = await new CandidateApi().myData();

  expect(data.type).toBe('application/json');
  expect(await data.text()).toBe('{"profile":{"name":"Ada"}}');
  expect(paths()).toEqual(['/api/v1/conversation/mydata']);
  expect(timeouts()).toEqual([LONG_MS]);
});

test('a download that is refused or cut off says so', async () => {
  const api = new CandidateApi();
  network(Response.json({ code: 'session_unknown' }, { status: 401 }));
  await expect(api.file('m 3')).rejects.toEqual(new ApiProblem(401, 'session_unknown'));
  const { paths } = network(new Error('cut off'));
  await expect(api.file('m 3')).rejects.toBeInstanceOf(ApiUnreachable);
  expect(paths()).toContain('/api/v1/conversation/files/m%203');
});

test('a page of a proxy in place of a result counts as no response', async () => {
  const api = new CandidateApi();
  network(new Response('<p>Log in to the network</p>'));
  uploadsGet(200, '<p>Log in to the network</p>');

  await expect(api.conversation()).rejects.toBeInstanceOf(ApiUnreachable);
  await expect(api.sendFile(aFile())).rejects.toBeInstanceOf(ApiUnreachable);
});

test('a refused upload is a problem with its code', async () => {
  uploadsGet(409, '{"code":"files_full"}');
  const problem = new ApiProblem(409, 'files_full');
  await expect(new CandidateApi().sendFile(aFile())).rejects.toEqual(problem);
});
