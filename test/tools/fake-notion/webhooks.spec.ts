import { verifyWebhookSignature } from '@notionhq/client';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type Board, type Delivery, NotionServer } from '../../../tools/fake-notion';
import { clientOf, Subscriber } from './notion-calls';
import { turnOfLoop } from '../../support/until';

const PAGES_ONLY = [
  'page.created',
  'page.properties_updated',
  'page.deleted',
  'page.undeleted',
  'page.moved',
] as const;

describe('webhooks of a connection', () => {
  let notion: NotionServer;
  let clock: FakeClock;
  let subscriber: Subscriber;
  let board: Board;

  beforeEach(async () => {
    clock = new FakeClock();
    notion = await NotionServer.start({ clock });
    subscriber = await Subscriber.start();
    board = notion.workspace.board();
  });
  afterEach(async () => {
    await notion.close();
    await subscriber.stop();
  });

  function listen(delivery: Partial<Delivery> = {}): void {
    notion.webhooks.feed.delivery = {
      ...notion.webhooks.feed.delivery,
      types: PAGES_ONLY,
      ...delivery,
    };
    notion.webhooks.sendTo(subscriber.url);
  }

  test('the handshake delivers the secret, without a proof of its sender', async () => {
    expect(await notion.webhooks.shakeHands(subscriber.url)).toBe(200);

    const [received] = subscriber.received;
    expect(received?.body).toEqual({ verification_token: notion.webhooks.token });
    expect(received?.headers).not.toHaveProperty('x-notion-signature');
  });

  test("the SDK verifies an event's signature over the raw body, and no other body's", async () => {
    listen();
    board.task({ Name: 'One' });
    const [received] = await subscriber.got(1);
    const check = (body: Buffer | string): Promise<boolean> =>
      verifyWebhookSignature({
        body,
        signature: String(received?.headers['x-notion-signature']),
        verificationToken: notion.webhooks.token,
      });

    expect(await check(received?.raw ?? '')).toBe(true);
    expect(await check(`${received?.raw.toString() ?? ''} `)).toBe(false);
  });

  test('an event carries ids and who did it, and never a value', async () => {
    const ada = notion.workspace.user('Ada');
    const task = board.task({ Name: 'Secret plan' });
    listen();
    task.edit({ Importance: 9, Name: 'Secret plan!' }, ada);

    const [received] = await subscriber.got(1);

    expect(received?.body).toMatchObject({
      type: 'page.properties_updated',
      entity: { id: task.id, type: 'page' },
      authors: [{ id: ada.id, type: 'person' }],
      attempt_number: 1,
      data: {
        parent: { id: board.databaseId, type: 'database', data_source_id: board.id },
        updated_properties: ['title', expect.stringMatching(/^%3A/)],
      },
    });
    expect(received?.raw.toString()).not.toContain('Secret');
  });

  test('authors are people, bots of connections, and agents; what the connection writes is its own', async () => {
    const task = board.task({ Name: 'One' });
    listen();
    task.edit({ Importance: 1 }, notion.workspace.otherBot('Zapper'));
    task.edit({ Importance: 2 }, notion.workspace.agent('Agent'));
    await clientOf(notion).pages.update({
      page_id: task.id,
      properties: { Importance: { number: 3 } },
    });

    await subscriber.got(3);
    expect(notion.webhooks.feed.made.map(({ authors }) => authors[0])).toMatchObject([
      { type: 'bot' },
      { type: 'agent' },
      { type: 'bot', id: notion.botId },
    ]);
  });

  test('an edit that changes nothing is no event', async () => {
    const task = board.task({ Name: 'One', Importance: 1 });
    listen();
    task.edit({ Importance: 1 });
    task.delete();

    await subscriber.got(1);
    expect(subscriber.types).toEqual(['page.deleted']);
  });

  test('events of pages and of the board have types of their own', async () => {
    listen({ types: null });
    const task = board.task({ Name: 'One' });
    task.delete();
    task.restore();
    task.moveTo(notion.workspace.board({ title: 'Elsewhere' }));
    board.renameColumn('Due', 'Deadline');
    board.delete();

    await subscriber.got(9);
    expect([...subscriber.types].sort()).toEqual([
      'data_source.content_updated',
      'data_source.content_updated',
      'data_source.content_updated',
      'data_source.deleted',
      'data_source.schema_updated',
      'page.created',
      'page.deleted',
      'page.moved',
      'page.undeleted',
    ]);
  });

  test('edits close together are one event of all their authors and properties', async () => {
    const ada = notion.workspace.user('Ada');
    const task = board.task({ Name: 'One' });
    listen({ aggregateMs: 30_000 });
    task.edit({ Importance: 1 }, ada);
    clock.advance(29_999);
    task.edit({ Due: '2026-03-09' });
    task.edit({ Importance: 2 });
    task.delete();
    task.restore();
    clock.advance(1);

    await subscriber.got(1);
    const [event] = notion.webhooks.feed.made;
    expect(event?.authors).toHaveLength(2);
    expect(event?.type === 'page.properties_updated' && event.data.updated_properties).toHaveLength(
      2,
    );
    clock.advance(60_000);
    await turnOfLoop();
    expect(notion.webhooks.feed.made).toHaveLength(1);
  });

  test('events come late, twice, in the wrong order, or not at all, as a test asks', async () => {
    const tasks = ['A', 'B', 'C', 'D'].map((Name) => board.task({ Name }));
    listen({ lateMs: 60_000, loseEvery: 4, copies: 2 });
    for (const task of tasks) task.edit({ Importance: 1 });
    clock.advance(59_999);
    expect(notion.webhooks.inFlight).toBe(0);
    clock.advance(1);

    await subscriber.got(6);
    expect(new Set(subscriber.received.map(({ body }) => body.id)).size).toBe(3);
    expect(notion.webhooks.feed.made).toHaveLength(4);
    await notion.until('six answers', () => notion.webhooks.attempts.length === 6);

    listen({ lateMs: 0, loseEvery: null, copies: 1, reverseBy: 2 });
    tasks[0]?.edit({ Importance: 2 });
    expect(notion.webhooks.inFlight).toBe(0);
    tasks[1]?.edit({ Importance: 2 });
    const pages = (await subscriber.got(8)).slice(6).map(({ body }) => body.entity);
    expect(pages).toMatchObject([{ id: tasks[1]?.id }, { id: tasks[0]?.id }]);
  });

  test('a test can hold events back and send one again', async () => {
    listen();
    notion.webhooks.feed.hold();
    board.task({ Name: 'One' });
    expect(notion.webhooks.inFlight).toBe(0);
    notion.webhooks.feed.release();
    const [first] = await subscriber.got(1);
    const [event] = notion.webhooks.feed.made;
    if (event === undefined) throw new Error('expected an event');

    expect(await notion.webhooks.repeat(event)).toBe(200);
    expect(subscriber.received[1]?.body).toEqual(first?.body);
  });

  test('an event that is not accepted is repeated with growing pauses, eight times in all', async () => {
    listen();
    subscriber.status = 500;
    board.task({ Name: 'One' });
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await notion.until(`attempt ${attempt}`, () => notion.webhooks.attempts.length === attempt);
      await turnOfLoop();
      clock.advance(24 * 3_600_000);
    }

    expect(notion.webhooks.attempts.map(({ attempt, status }) => [attempt, status])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => [attempt, 500]),
    );
    expect(new Set(subscriber.received.map(({ body }) => body.id)).size).toBe(1);
    const last = subscriber.received.at(-1);
    expect(last?.body.attempt_number).toBe(8);
    const isSigned = verifyWebhookSignature({
      body: last?.raw ?? '',
      signature: String(last?.headers['x-notion-signature']),
      verificationToken: notion.webhooks.token,
    });
    expect(await isSigned).toBe(true);
  });

  test('the automation "Send webhook" is unsigned, with its headers and the properties', async () => {
    const automation = notion.automation(board, {
      url: subscriber.url,
      headers: { 'x-colloquy-secret': 'swordfish' },
      when: ['Importance'],
      properties: ['Importance', 'Assignee'],
    });
    const ada = notion.workspace.user('Ada');
    const task = board.task({ Name: 'One', Assignee: ada });
    task.edit({ Due: '2026-03-09' });
    task.edit({ Importance: 5 });

    const [, received] = await subscriber.got(2);
    expect(received?.headers).toMatchObject({ 'x-colloquy-secret': 'swordfish' });
    expect(received?.headers).not.toHaveProperty('x-notion-signature');
    expect(received?.body).toMatchObject({
      source: { type: 'automation', attempt: 1 },
      data: {
        object: 'page',
        id: task.id,
        properties: { Importance: { number: 5 }, Assignee: { people: [{ id: ada.id }] } },
      },
    });
    await notion.until('both are called', () => automation.calls.length === 2);
    expect(automation.calls.map(({ status }) => status)).toEqual([200, 200]);
  });
});
