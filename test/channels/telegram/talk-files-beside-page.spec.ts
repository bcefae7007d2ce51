import { WebSessionRepository } from '../../../src/candidates';
import { PDF } from '../../support/sent-files';
import { type TestApp, startTestApp } from '../../support/app';
import { BOT, begunPerson } from './telegram-person';

describe('a file that is sent in Telegram', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(() => app.close());

  test('is shown on an open page as arriving, until it has arrived', async () => {
    const ada = await begunPerson(app);
    const away = { kind: 'status', code: 500 } as const;
    app.telegram.faults.on('downloadFile', away, { times: Infinity });
    const conversationId = (await ada.conversationId()) ?? '';
    const { sessionToken } = await app.commit((tx) =>
      app.get(WebSessionRepository).create(tx, conversationId),
    );
    const closed = new AbortController();
    const { body } = await fetch(`${app.url}/api/v1/conversation/events`, {
      headers: { authorization: `Bearer ${sessionToken}` },
      signal: closed.signal,
    });
    let told = '';
    const reading = (async () => {
      for await (const chunk of body ?? []) told += Buffer.from(chunk as Uint8Array).toString();
    })().catch(() => undefined);

    /** Waits for an event; readers get it a moment after the commit. */
    const hears = async (what: RegExp): Promise<void> => {
      for (let wait = 0; wait < 60 && !what.test(told); wait += 1) await app.pass(1000);
      expect(told).toMatch(what);
    };

    await ada.does((user) => user.sendsDocument(PDF, { name: 'cv.pdf' }));
    await hears(/event: message\n.*"name":"cv.pdf".*"state":"announced"/);
    await hears(/event: state\n.*"filesArriving":1/);
    expect(told.slice(told.indexOf('"filesArriving":1'))).not.toContain('"filesArriving":0');

    app.telegram.faults.clear();
    await hears(/"filesArriving":1[^]*event: state\n.*"filesArriving":0/);

    expect(await app.sql('select state from file')).toEqual([{ state: 'kept' }]);
    closed.abort();
    await reading;
  });
});
