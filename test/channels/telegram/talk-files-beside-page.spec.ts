import { WebSessions } from '../../../src/accounts';
import { PDF } from '../../support/sent-files';
import { TalkStage } from './talk-stage';

describe('a file that is sent in Telegram', () => {
  let stage: TalkStage;

  beforeAll(async () => {
    stage = await TalkStage.open();
  });

  afterAll(() => stage.close());

  it('is shown as it is by a page that is open beside the chat, once it has arrived', async () => {
    const ada = await stage.begun();
    const away = { kind: 'status', code: 500 } as const;
    stage.telegram.faults.on('downloadFile', away, { times: Infinity });
    const conversationId = (await ada.conversationId()) ?? '';
    const { sessionToken } = await stage.app.commit((tx) =>
      stage.app.nest.get(WebSessions, { strict: false }).create(tx, conversationId),
    );
    const closed = new AbortController();
    const { body } = await fetch(`${stage.app.url}/api/v1/conversation/events`, {
      headers: { authorization: `Bearer ${sessionToken}` },
      signal: closed.signal,
    });
    let told = '';
    const reading = (async () => {
      for await (const chunk of body ?? []) told += Buffer.from(chunk as Uint8Array).toString();
    })().catch(() => undefined);

    await ada.does((user) => user.sendsDocument(PDF, { name: 'cv.pdf' }));
    await stage.pass(1000);
    expect(told).toMatch(/event: message\n.*"name":"cv.pdf".*"state":"announced"/);
    expect(told).toMatch(/event: state\n.*"filesArriving":1/);
    expect(told).not.toMatch(
      /event: state\n.*"filesArriving":1[^]*event: state\n.*"filesArriving":0/,
    );

    stage.telegram.faults.clear();
    const isKept = async (): Promise<boolean> =>
      (await stage.rows(`select 1 from file where state = 'kept'`)).length > 0;
    for (let wait = 0; wait < 12 && !(await isKept()); wait += 1) await stage.pass(5000);
    await stage.pass(1000);

    expect(told).toMatch(/event: state\n.*"filesArriving":1[^]*event: state\n.*"filesArriving":0/);
    closed.abort();
    await reading;
  });
});
