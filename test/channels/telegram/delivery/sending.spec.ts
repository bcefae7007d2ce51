import { AttentionService } from '../../../../src/attention';
import { DeliveryService } from '../../../../src/delivery';
import { FakeClock } from '../../../../tools/support/fake-clock';
import { newId } from '../../../../src/common/ids';
import type { TelegramUser } from '../../../../tools/fake-telegram';
import { BotIntake } from '../bot-intake';

let setup: BotIntake;
let ada: TelegramUser;
let clock: FakeClock;

beforeEach(async () => {
  clock = new FakeClock();
  setup = await BotIntake.start({
    mode: 'webhook',
    clock,
    env: { DELIVERY_TIMEOUT: '30' },
  });
  ada = await setup.candidate();
  // The question may overtake the bot's replies to the button.
  await setup.app.until(
    'the bot has replied to the button',
    async () => (await setup.app.sql('select from telegram_bot_reply')).length === 0,
  );
  setup.telegram.journal.clear();
});
afterEach(() => setup.close());

/** Sends a notice to the candidate, as the interview does. */
async function notice(text: string): Promise<void> {
  const { app } = setup;
  const deliveries = app.get(DeliveryService);
  await app.commit(async (tx) => {
    const [account] = await tx.query<{ id: string }>(
      `select conversation_id as id from telegram_account where user_id = $1`,
      [ada.user.id],
    );
    const conversationId = account?.id ?? '';
    const messageId = newId();
    await tx.query(
      `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
       select $1, $2, coalesce(max(seq), 0) + 1, 'system', 'code', $3, $4, now()
       from message where conversation_id = $2`,
      [messageId, conversationId, messageId, text],
    );
    await deliveries.add(tx, {
      conversationId,
      turnId: null,
      messageId,
      kind: 'notice',
      channel: 'telegram',
      text,
    });
  });
}

function sends(): readonly { readonly params: Readonly<Record<string, unknown>> }[] {
  return setup.telegram.journal.calls('sendMessage');
}

function shown(): readonly string[] {
  return setup.telegram.chat(ada.user.id).botTexts;
}

test('a long reply arrives completely and in order, with the Done button at its end', async () => {
  const words = Array.from({ length: 2000 }, (_, n) => `word${String(n)}`).join(' ');
  const before = shown().length;
  await notice(words);
  await setup.app.until(
    'the last part arrives',
    () => shown().at(-1)?.endsWith('word1999') === true,
  );

  expect(shown().slice(before).join(' ')).toBe(words);
  const marked = sends().map(({ params }) => 'reply_markup' in params);
  expect(marked).toHaveLength(5);
  expect(marked.indexOf(true)).toBe(4);
  expect(setup.telegram.journal.violations).toEqual([]);
});

test('markup that Telegram cannot read is sent as plain text, once', async () => {
  const description = "Bad Request: can't parse entities: Unsupported start tag";
  setup.telegram.faults.on('sendMessage', { kind: 'status', code: 400, description });
  await notice('**bold** and `code` <x>');
  await setup.app.until('the plain text arrives', () => shown().at(-1) === 'bold and code <x>');

  expect(sends().map(({ params }) => params.parse_mode)).toEqual(['HTML', undefined]);
  expect(await setup.app.sql(`select kind from attention`)).toEqual([]);
});

const QUOTE = 'Our very own words';
const REFUSALS: readonly [string, string[]][] = [
  ['is refused', [`Bad Request: "${QUOTE}" is not allowed here`]],
  [
    'is refused as HTML and as plain text',
    [
      `Bad Request: can't parse entities: unsupported start tag "${QUOTE}"`,
      `Bad Request: "${QUOTE}" is not allowed here`,
    ],
  ],
  [
    'cannot be read even as plain text',
    [1, 2].map(() => `Bad Request: can't parse entities: unsupported start tag "${QUOTE}"`),
  ],
];

test.each(REFUSALS)(
  'if a part %s, only the status is stored, because Telegram’s error may quote the part',
  async (_how, descriptions) => {
    for (const description of descriptions) {
      setup.telegram.faults.on('sendMessage', { kind: 'status', code: 400, description });
    }
    await notice(QUOTE);
    const kept = (): Promise<{ state: string; error: string }[]> =>
      setup.app.sql(
        `select state, error from delivery d join message m on m.id = d.message_id
         where m.text = $1`,
        [QUOTE],
      );
    await setup.app.until(
      'the delivery is given up',
      async () => (await kept())[0]?.state === 'dead',
    );

    expect(sends()).toHaveLength(descriptions.length);
    expect(await kept()).toEqual([{ state: 'dead', error: 'status_400' }]);
    const elsewhere = await setup.app.sql<{ row: string }>(
      `select a::text as row from attention a union all select t::text from job t
       union all select t::text from delivery_attempt t`,
    );
    const seen = [...elsewhere.map(({ row }) => row), ...setup.app.log.lines].join('\n');
    expect(seen).not.toContain(QUOTE);
  },
);

test('a message with an unknown outcome is sent again at most once', async () => {
  setup.telegram.faults.on('sendMessage', { kind: 'hang', when: 'after' }, { times: 9 });
  await notice('Are you there?');
  await setup.app.until('the delivery counts as sent', async () => {
    const rows = await setup.app.sql<{ state: string }>(
      `select d.state from delivery d join message m on m.id = d.message_id
       where m.text = 'Are you there?' and d.state = 'sent'`,
    );
    return rows.length === 1;
  });

  expect(sends()).toHaveLength(2);
  expect(shown().filter((text) => text === 'Are you there?')).toHaveLength(2);

  // A person can send it again.
  setup.telegram.faults.clear();
  setup.telegram.faults.release();
  const [item] = await setup.app.sql<{ id: string; kind: string }>(
    'select id, kind from attention',
  );
  expect(item?.kind).toBe('unknown');
  const attention = setup.app.get(AttentionService);
  await setup.app.commit((tx) => attention.replay(tx, item?.id ?? '', 'a recruiter'));
  await setup.app.until('the message is sent again', () => sends().length === 3);
});

test('a person who has blocked the bot gets nothing more, and the attention list gets an item', async () => {
  ada.leavesTelegram();
  await notice('One');
  await setup.app.until('there is an attention item', async () => {
    const rows = await setup.app.sql<{ kind: string }>(`select kind from attention`);
    return rows.some(({ kind }) => kind === 'blocked');
  });

  expect(sends()).toHaveLength(1);
  const rows = await setup.app.sql<{ state: string }>(
    `select state from delivery d join message m on m.id = d.message_id where m.text = 'One'`,
  );
  expect(rows).toEqual([{ state: 'dead' }]);
});
