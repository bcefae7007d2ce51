/** Sending files from the page to the server, without a page or a server. */
import { ApiProblem, ApiUnreachable } from '../../web/src/api/client';
import { type AttachmentItem, Attachments, type FileUpload } from '../../web/src/state/attachments';
import { Timers, settled } from './fake-browser';

interface Sending extends FileUpload {
  accept: () => void;
  fail: (error: unknown) => void;
}

function attachments() {
  const sending: Sending[] = [];
  const log: string[] = [];
  let items: readonly AttachmentItem[] = [];
  let ids = 0;
  const timers = new Timers();
  const queue = new Attachments({
    newMessageId: () => `id${String((ids += 1))}`,
    wait: timers.wait,
    maxBytes: () => 1000,
    send: (upload) =>
      new Promise((resolve, reject) => {
        upload.signal.addEventListener('abort', () => {
          reject(new ApiUnreachable('aborted'));
        });
        sending.push({
          ...upload,
          accept: () => {
            resolve(null);
          },
          fail: reject,
        });
      }),
    onSending: () => log.push('sending'),
    onSent: () => log.push('sent'),
    onProblem: ({ code }) => log.push(`problem ${code}`),
    onChange: (changed) => (items = changed),
  });
  return { queue, sending, log, timers, items: () => items };
}

const aFile = (name: string, size = 10) => new File(['x'.repeat(size)], name);

test('files are sent one after the other, each under its own id, with their progress', async () => {
  const { queue, sending, log, items } = attachments();

  queue.add([aFile('cv.pdf'), aFile('face.png')]);
  sending[0]?.onProgress(0.456);

  expect(sending.map(({ id, file }) => [id, file.name])).toEqual([['id1', 'cv.pdf']]);
  expect(items()).toMatchObject([
    { name: 'cv.pdf', sizeBytes: 10, state: 'sending', percent: 45, problem: null },
    { name: 'face.png', state: 'waiting' },
  ]);
  sending[0]?.accept();
  await settled();
  expect(sending[1]?.id).toBe('id2');
  sending[1]?.accept();
  await settled();
  expect(items()).toEqual([]);
  expect(log.filter((entry) => entry === 'sent')).toHaveLength(2);
});

test('a file that is too large or empty is refused on the page, and the others are sent', () => {
  const { queue, sending, items } = attachments();

  queue.add([aFile('huge.pdf', 1001), aFile('empty.pdf', 0), aFile('cv.pdf', 1000)]);

  expect(items()).toMatchObject([
    { state: 'refused', problem: 'too_large' },
    { state: 'refused', problem: 'empty' },
    { state: 'sending' },
  ]);
  expect(sending.map(({ file }) => file.name)).toEqual(['cv.pdf']);
});

test.each([
  [new ApiProblem(415, 'file_type_unsupported'), 'type'],
  [new ApiProblem(415, 'file_word_format'), 'word_format'],
  [new ApiProblem(413, 'body_too_large'), 'too_large'],
  [new ApiProblem(409, 'files_full'), 'full'],
  [new ApiProblem(409, 'conversation_full'), 'full'],
  [new ApiProblem(429, 'uploads_full', 60_000), 'later'],
  [new ApiProblem(409, 'conversation_closed'), 'closed'],
  [new ApiProblem(422, 'invalid_body'), 'refused'],
])('a refusal is final and says why: %s', async (error, problem) => {
  const { queue, sending, items } = attachments();
  queue.add([aFile('cv.pdf')]);

  sending[0]?.fail(error);
  await settled();
  queue.retry();

  expect(items()).toMatchObject([{ state: 'refused', problem }]);
  expect(sending).toHaveLength(1);
  queue.remove('id1');
  expect(items()).toEqual([]);
});

test.each([
  new ApiUnreachable('offline'),
  new ApiProblem(503, 'unavailable'),
  new ApiProblem(429, 'too_many_uploads'),
  new ApiProblem(408, 'request_timeout'),
])(
  'a temporary problem keeps the file, which is sent again under the same id: %s',
  async (error) => {
    const { queue, sending, items } = attachments();
    queue.add([aFile('cv.pdf')]);

    sending[0]?.fail(error);
    await settled();
    expect(items()).toMatchObject([{ state: 'unsent', problem: null }]);
    queue.retry();

    expect(sending.map(({ id }) => id)).toEqual(['id1', 'id1']);
    sending[1]?.accept();
    await settled();
    expect(items()).toEqual([]);
  },
);

test('a file that is cancelled while it is sent is cut off, and the next one is sent', async () => {
  const { queue, sending, items, log } = attachments();
  queue.add([aFile('wrong.pdf'), aFile('cv.pdf')]);

  queue.remove('id1');
  await settled();

  expect(sending[0]?.signal.aborted).toBe(true);
  expect(items()).toMatchObject([{ name: 'cv.pdf', state: 'sending' }]);
  expect(log).not.toContain('sent');
});

test('Done waits for files that are being sent, and not for those that cannot be', async () => {
  const { queue, sending } = attachments();
  const done = jest.fn();
  queue.add([aFile('cv.pdf'), aFile('face.png')]);
  queue.afterDelivery(done);
  sending[0]?.fail(new ApiUnreachable('offline'));
  await settled();
  expect(done).not.toHaveBeenCalled();

  sending[1]?.accept();
  await settled();

  expect(done).toHaveBeenCalledTimes(1);
});

test('says every second that the answer goes on until the file is there, without any progress', async () => {
  const { queue, sending, log, timers } = attachments();
  const reports = () => log.filter((entry) => entry === 'sending').length;
  queue.add([aFile('cv.pdf')]);
  sending[0]?.onProgress(1);
  expect(reports()).toBe(1);

  timers.fire(1_000);
  timers.fire(1_000);
  expect(reports()).toBe(3);
  sending[0]?.accept();
  await settled();

  expect(timers.live()).toHaveLength(0);
});

test('says no more that the answer goes on when the file could not be sent', async () => {
  const { queue, sending, timers } = attachments();
  queue.add([aFile('cv.pdf')]);

  sending[0]?.fail(new ApiUnreachable('offline'));
  await settled();

  expect(timers.live()).toHaveLength(0);
});

test('what was stopped is kept, and another page sends it under the same ids', async () => {
  const { queue, sending } = attachments();
  const next = attachments();
  queue.add([aFile('cv.pdf'), aFile('face.png'), aFile('huge.pdf', 1001)]);

  queue.stop();
  await settled();
  next.queue.restore(queue.kept());
  next.sending[0]?.accept();
  await settled();

  expect(sending.map(({ signal }) => signal.aborted)).toEqual([true]);
  expect(next.sending.map(({ id, file }) => [id, file.name])).toEqual([
    ['id1', 'cv.pdf'],
    ['id2', 'face.png'],
  ]);
});

test('when the page is left, nothing is sent or kept', async () => {
  const { queue, sending, items } = attachments();
  queue.add([aFile('cv.pdf'), aFile('face.png')]);

  queue.clear();
  await settled();

  expect(items()).toEqual([]);
  expect(sending).toHaveLength(1);
  expect(sending[0]?.signal.aborted).toBe(true);
});
