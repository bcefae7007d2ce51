import { CandidateRepository } from '../../src/candidates';
import { Settings } from '../../src/common/config';
import type { Tx } from '../../src/common/uow';
import { readPin } from '../../src/vacancies';
import {
  InterviewService,
  InterviewStart,
  MetadataService,
  RetainedMessages,
} from '../../src/interview';
import { SCRIPT_VERSION } from '../../src/interview/texts/disclosure';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { type TestApp, startTestApp } from '../support/app';
import { FakeClock } from '../../tools/support/fake-clock';

let app: TestApp;
let interviews: InterviewService;
let starts: InterviewStart;

beforeAll(async () => {
  app = await startTestApp({ clock: new FakeClock(), isWorking: false });
  interviews = app.get(InterviewService);
  starts = app.get(InterviewStart);
});

afterAll(() => app.close());

function begin(...as: [] | [Parameters<InterviewStart['beginAs']>[2]]): Promise<string> {
  const invite = { state: 'ok', kind: 'open', vacancy: app.vacancy } as const;
  const [identification] = as;
  return app.commit(async (tx) =>
    identification === undefined
      ? (await starts.begin(tx, invite)).id
      : (await starts.beginAs(tx, invite, identification)).id,
  );
}

function stored(id: string): Promise<{ metadata: object; version: number }[]> {
  return app.commit((tx) =>
    tx.query('select metadata, metadata_version as version from conversation where id = $1', [id]),
  );
}

function pinOf(typed: string) {
  const pin = readPin(typed);
  if (pin === null) throw new Error('The PIN of the test is invalid.');
  return pin;
}

describe('how a candidate came to the interview', () => {
  test('is stored in the commit that begins the interview, with a masked PIN', async () => {
    const id = await begin({ identifiedBy: 'pin', pinCode: pinOf('1234-1234-5678') });

    expect(await stored(id)).toEqual([
      {
        metadata: { identifiedBy: 'pin', pinCode: '••••-••78', awaitingPin: false },
        version: 1,
      },
    ]);
  });

  test('is stored for a search', async () => {
    const id = await begin({ identifiedBy: 'search' });

    expect(await stored(id)).toMatchObject([{ metadata: { identifiedBy: 'search' } }]);
  });

  test('is not stored, and no interview begins, when the commit fails', async () => {
    const begun: string[] = [];

    const failed = app.commit(async (tx) => {
      const invite = { state: 'ok', kind: 'open', vacancy: app.vacancy } as const;
      begun.push((await starts.beginAs(tx, invite, { identifiedBy: 'link' })).id);
      throw new Error('made by the test');
    });

    await expect(failed).rejects.toThrow('made by the test');
    expect(await stored(begun[0] ?? '')).toEqual([]);
  });

  test.each([
    ['a PIN in clear', { pinCode: '1234-5678-1234' }],
    ['a PIN in clear, without its dash', { pinCode: '123456781234' }],
    ['an unknown origin', { identifiedBy: 'telepathy' }],
  ])('is refused by the metadata when it is %s', async (_, updates) => {
    const store = app.get(MetadataService);
    const id = await begin();

    const updating = store.updateConversationMetadata(id, updates as never);

    await expect(updating).rejects.toMatchObject({ code: 'invalid_metadata' });
    expect(await stored(id)).toEqual([{ metadata: {}, version: 0 }]);
  });
});

describe('a profile that the channel knows', () => {
  function introduce(
    id: string,
    known: Parameters<InterviewService['introduce']>[2],
  ): Promise<void> {
    return app.commit((tx) => interviews.introduce(tx, id, known));
  }

  function agree(id: string): Promise<void> {
    const consent = { version: SCRIPT_VERSION, accepted: true };
    return app.commit((tx) => interviews.consent(tx, id, consent));
  }

  function conversation(tx: Tx, id: string) {
    return app.get(ConversationRepository).find(tx, id);
  }

  function person(id: string) {
    return app.commit(async (tx) => {
      const { candidateId = '', status } = (await conversation(tx, id)) ?? {};
      const candidate = await app.get(CandidateRepository).find(tx, candidateId);
      return { ...candidate, status };
    });
  }

  test('fills in missing fields and keeps the others', async () => {
    const id = await begin();
    await app.commit((tx) => interviews.profile(tx, id, { name: 'Ada Lovelace' }));

    await introduce(id, { name: 'ada ✨', contact: '@Ada', telegramUsername: '@Ada' });
    await introduce(id, { name: 'eve', contact: '@Eve', telegramUsername: 'Eve' });

    expect(await person(id)).toMatchObject({
      name: 'Ada Lovelace',
      contact: '@Ada',
      telegramUsername: 'ada',
    });
  });

  test('starts the interview once there is consent and nothing is missing', async () => {
    const id = await begin();
    await introduce(id, { name: 'Ada' });
    await agree(id);
    const before = await person(id);

    await introduce(id, { contact: '@ada' });

    expect([before.status, (await person(id)).status]).toEqual(['new', 'active']);
    const said = await app.commit((tx) =>
      tx.query('select seq from message where conversation_id = $1', [id]),
    );
    expect(said.length).toBeGreaterThan(0);
    await introduce(id, { contact: '@ada' });
    const again = await app.commit((tx) =>
      tx.query('select seq from message where conversation_id = $1', [id]),
    );
    expect(again).toEqual(said);
  });

  test('starts nothing before consent', async () => {
    const id = await begin();

    await introduce(id, { name: 'Ada', contact: '@ada' });

    expect(await person(id)).toMatchObject({ name: 'Ada', status: 'new' });
    await agree(id);
    expect(await person(id)).toMatchObject({ status: 'active' });
  });

  test('cleans and shortens a name, and ignores a blank one', async () => {
    const id = await begin();

    await introduce(id, { name: ' \0 ', contact: '', telegramUsername: '@' });
    const blank = await person(id);
    await introduce(id, { name: `<b>\ud800${'😀'.repeat(500)}` });

    expect(blank).toMatchObject({ name: null, contact: null, telegramUsername: null });
    expect((await person(id)).name).toBe(`<b> ${'😀'.repeat(116)}`);
  });

  test('is refused for an unknown conversation', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';

    await expect(introduce(nobody, { name: 'Ada' })).rejects.toMatchObject({
      code: 'conversation_unknown',
    });
  });
});

describe('a message that is kept for people', () => {
  test('is refused for a conversation that was erased, and not as one too many', async () => {
    const id = await begin();
    await app.commit((tx) => tx.query('delete from conversation where id = $1', [id]));
    const retained = app.get(RetainedMessages);
    const line = { channel: 'web', externalId: 'late', text: 'A photo', attachment: null } as const;

    const keeping = app.commit((tx) => retained.keep(tx, { conversationId: id, ...line }));

    await expect(keeping).rejects.toMatchObject({ code: 'conversation_unknown' });
  });

  test.each([
    ['messages', 'sent_messages = $2'],
    ['chars', 'sent_chars = $2'],
  ] as const)('is refused by the limit of %s, which the error names', async (limit, full) => {
    const id = await begin();
    const { [limit]: most } = app.get(Settings).conversationLimits;
    const set = `update conversation set ${full} where id = $1`;
    const keep = (externalId: string) => {
      const line = { channel: 'web', externalId, text: 'A', attachment: null } as const;
      return app.commit((tx) =>
        app.get(RetainedMessages).keep(tx, { conversationId: id, ...line }),
      );
    };

    await app.commit((tx) => tx.query(set, [id, most - 1]));
    await keep('fits');
    await expect(keep('too much')).rejects.toMatchObject({
      code: 'conversation_full',
      fields: { limit },
    });

    await keep('fits');
    const rows = await app.sql('select 1 from message where conversation_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });
});
