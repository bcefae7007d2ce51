import type { IncomingMessage, ServerResponse } from 'node:http';
import { MyData } from '../../../src/channels/telegram/intake/bot-replies';
import { PersonalDataService } from '../../../src/privacy';
import { ExportRepository } from '../../../src/privacy/export.repository';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { Listener } from '../../../tools/http-fake/listener';

const MEGABYTE = 1_000_000;
/** A page of the longest messages is 1.6 MB; the rest is for the socket buffers of both sides. */
const MOST_AHEAD = 16 * MEGABYTE;
const MESSAGES = 3200;
const CHARS = 16_000;
/** Messages that one statement stores. */
const BATCH = 200;

/** The fake Bot API of these tests accepts uploads and keeps nothing of them. */
describe('the file of /mydata on its way to Telegram', () => {
  let app: TestApp;
  let candidateId: string;
  let pages: jest.SpiedFunction<ExportRepository['page']>;
  const server = new Listener(respond);
  let onUpload: (request: IncomingMessage) => void;
  /** The size in JSON of all rows that were read so far. */
  let read = 0;

  beforeAll(async () => {
    await server.open();
    app = await startTestApp({
      isWorking: false,
      env: {
        TELEGRAM_BOT_TOKEN: '1:test',
        TELEGRAM_BOT_NAME: 'colloquy_test_bot',
        TELEGRAM_API_ROOT: server.url,
        TELEGRAM_MODE: 'webhook',
        TELEGRAM_WEBHOOK_SECRET: 'a-secret-of-the-tests-with-40-characters',
        PUBLIC_URL: 'https://colloquy.example',
      },
    });
    const rows = app.get(ExportRepository);
    const page = rows.page.bind(rows);
    pages = jest.spyOn(rows, 'page').mockImplementation(async (...args) => {
      const found = await page(...args);
      read += JSON.stringify(found.rows).length;
      return found;
    });
    candidateId = await talkative();
  });

  beforeEach(() => {
    read = 0;
    onUpload = () => undefined;
  });

  afterAll(async () => {
    await app.close();
    await server.close();
  });

  function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = (request.url ?? '').split('/').at(-1);
    const result = method === 'getMe' ? { id: 1, is_bot: true, first_name: 'Bot' } : true;
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: true, result }));
    });
    request.on('error', () => undefined);
    if (method === 'sendDocument') onUpload(request);
    request.resume();
    return Promise.resolve();
  }

  async function talkative(): Promise<string> {
    const { conversationId } = await TestCandidate.begin(app);
    for (let from = 0; from < MESSAGES; from += BATCH) {
      await app.commit((tx) =>
        tx.query(
          `insert into message (id, conversation_id, seq, role, channel, external_id, text,
             received_at, cleared_at)
           select gen_random_uuid(), $1, 1000 + n, 'user', 'web', gen_random_uuid()::text,
             rpad('said ' || n, $4, '.'), now(), now()
           from generate_series($2::int, $2::int + $3 - 1) n`,
          [conversationId, from, BATCH, CHARS],
        ),
      );
    }
    return (await app.commit((tx) => personalData().findOwner(tx, conversationId))) ?? '';
  }

  function personalData(): PersonalDataService {
    return app.get(PersonalDataService);
  }

  function send(signal = new AbortController().signal): Promise<void> {
    return app.get(MyData).send(1, candidateId, signal);
  }

  test('is read page by page as Telegram takes it, so 50 MB are never in memory at once', async () => {
    let [received, mostAhead, last] = [0, 0, ''];
    onUpload = (request) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        mostAhead = Math.max(mostAhead, read - received);
        last = (last + chunk.toString()).slice(-200);
      });
    };

    await send();

    expect(received).toBeGreaterThan(50 * MEGABYTE);
    expect(mostAhead).toBeLessThan(MOST_AHEAD);
    expect(last).toMatch(/\n}\n\r\n--\S+--\r\n$/);
  });

  test('fails with the error of the database, not with one of the Bot API', async () => {
    pages.mockRejectedValueOnce(new Error('a statement failed'));

    await expect(send()).rejects.toThrow('a statement failed');
  });

  test('is aborted when the lease of its job is lost', async () => {
    const over = new AbortController();
    onUpload = (request) => {
      request.once('data', () => {
        request.pause();
        over.abort();
      });
    };

    await expect(send(over.signal)).rejects.toMatchObject({ name: 'BotApiError' });

    expect(read).toBeLessThan(MOST_AHEAD);
  });

  test('is aborted when its person is erased meanwhile, and does not count as sent', async () => {
    const end = new Promise<{ isWhole: boolean }>((resolve) => {
      onUpload = (request) => {
        request.once('data', () => {
          request.pause();
          void app
            .commit((tx) => personalData().erase(tx, candidateId))
            .then(() => request.resume());
        });
        request.once('close', () => {
          resolve({ isWhole: request.complete });
        });
      };
    });

    await send();

    expect(await end).toEqual({ isWhole: false });
  });
});
