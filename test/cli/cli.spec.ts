import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CandidateRepository } from '../../src/candidates';
import { DomainEvents } from '../../src/common/events';
import {
  InstanceRepository,
  InvitationRepository,
  type InviteLookup,
  PinHasher,
  readPin,
  VacancyRepository,
} from '../../src/vacancies';
import { attentionRig } from '../support/attention';
import { runCliProcess } from '../support/run-cli';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, database, inCommit } from './cli-database';

const vacancies = new VacancyRepository(clock, new DomainEvents());

const ENGLISH = resolve(__dirname, '../../examples/backend-engineer.en.yaml');
const RUSSIAN = resolve(__dirname, '../../examples/support-lead.ru.yaml');

function lineAfter(out: string, label: string): string {
  return new RegExp(`${label} +(.+)`).exec(out)?.[1] ?? `no "${label}" in: ${out}`;
}

describe('vacancy import', () => {
  test('imports the files and prints their open links', async () => {
    const run = await cli(['vacancy', 'import', ENGLISH, RUSSIAN], {
      PUBLIC_URL: 'https://jobs.example.com/',
    });

    const [first, second] = await inCommit((tx) => vacancies.list(tx));
    expect(run).toEqual({
      code: 0,
      err: '',
      out: [
        'created backend-engineer: Senior Backend Engineer (Payments), Harbourline, 8 questions',
        `  open link  https://jobs.example.com/i/${first?.openToken ?? ''}`,
        '  documents  4 stored; 40 passages',
        'created support-lead: Руководитель группы поддержки, Тихая гавань, 7 questions',
        `  open link  https://jobs.example.com/i/${second?.openToken ?? ''}`,
        '  documents  4 stored; 41 passages',
        '',
      ].join('\n'),
    });
  });

  test('keeps the link when the file is imported again', async () => {
    const first = await cli(['vacancy', 'import', ENGLISH]);
    const second = await cli(['vacancy', 'import', ENGLISH]);

    expect(second.out).toBe(
      first.out.replace('created', 'unchanged').replace('4 stored', '4 unchanged'),
    );
  });

  test('imports nothing when one file is wrong, and says where', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vacancies-'));
    const wrong = join(folder, 'wrong.yaml');
    await writeFile(wrong, 'slug: x\nlanguage: de\n');

    const run = await cli(['vacancy', 'import', ENGLISH, wrong, join(folder, 'none.yaml')]);

    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain(`${wrong}:2: language: expected ru or en\n`);
    expect(run.err).toContain(`${join(folder, 'none.yaml')}: there is no such file`);
    expect(run.err).not.toContain('at ');
    await expect(inCommit((tx) => vacancies.isEmpty(tx))).resolves.toBe(true);
    await rm(folder, { recursive: true });
  });
});

describe('vacancy list, show and export', () => {
  test('list and show what was imported', async () => {
    await cli(['vacancy', 'import', ENGLISH]);

    const listed = await cli(['vacancy', 'list']);
    const shown = await cli(['vacancy', 'show', 'backend-engineer']);

    expect(listed.out).toBe(
      'backend-engineer  Senior Backend Engineer (Payments), Harbourline, 8 questions\n',
    );
    for (const line of [
      '  duration   about 20 minutes\n',
      '  reply      within 5 business days\n',
      '  logo       logos/harbourline.svg\n',
      '  accent     #0b4f8a, dark #8cc7f2\n',
    ]) {
      expect(shown.out).toContain(line);
    }
    expect(shown.out).toContain('  document   knowledge/backend-engineer/team.en.md, ');
    expect(shown.out.match(/^ {2}question /gm)).toHaveLength(8);
  });

  test('an unknown vacancy is refused, and the known ones are named', async () => {
    await cli(['vacancy', 'import', ENGLISH, RUSSIAN]);

    const run = await cli(['vacancy', 'show', 'nope']);

    expect(run).toEqual({
      code: 4,
      out: '',
      err: 'No vacancy "nope". Known: backend-engineer, support-lead\n',
    });
  });

  test.each([ENGLISH, RUSSIAN])('export of %s imports to the same vacancy', async (file) => {
    await cli(['vacancy', 'import', file]);
    const slug = /^slug: (.+)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'vacancies-'));
    for (const beside of ['knowledge', 'logos']) {
      await cp(join(dirname(file), beside), join(folder, beside), { recursive: true });
    }
    const copy = join(folder, 'copy.yaml');

    const exported = await cli(['vacancy', 'export', slug]);
    await writeFile(copy, exported.out);
    const again = await cli(['vacancy', 'import', copy]);

    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out).toMatch(new RegExp(`^unchanged ${slug}: `));
    expect(again.out).toContain('  documents  4 unchanged; ');
    await rm(folder, { recursive: true });
  });
});

describe('invite', () => {
  beforeEach(() => inCommit((tx) => vacancies.upsert(tx, vacancyDraft())));

  function find(token: string): Promise<InviteLookup> {
    return inCommit((tx) => new InvitationRepository(clock, vacancies).findByToken(tx, token));
  }

  async function findByPin(typed: string): Promise<InviteLookup> {
    const pin = readPin(typed);
    if (pin === null) throw new Error('no PIN');
    const key = await new PinHasher(database().units).keyOf(pin);
    return inCommit((tx) => new InvitationRepository(clock, vacancies).findByPin(tx, key));
  }

  test('prints a link, a Telegram link and a PIN that work', async () => {
    const args = ['baker', '--name', 'Bo', '--telegram', '@Bo_Baker'];
    const run = await cli(['invite', ...args], { TELEGRAM_BOT_NAME: 'crumb_bot' });

    expect(run).toMatchObject({ code: 0, err: '' });
    const token = lineAfter(run.out, 'Web link').replace('http://localhost:3000/i/', '');
    expect(lineAfter(run.out, 'Telegram link')).toBe(`https://t.me/crumb_bot?start=${token}`);
    const found = await find(token);
    if (found.state === 'unknown' || found.kind === 'open') throw new Error('not personal');
    const { candidateId } = found.invitation;
    expect(lineAfter(run.out, 'PIN')).toMatch(/^\d{4}(-\d{4}){2}$/);
    await expect(findByPin(lineAfter(run.out, 'PIN'))).resolves.toEqual(found);
    await expect(
      inCommit((tx) => new CandidateRepository(clock).find(tx, candidateId)),
    ).resolves.toMatchObject({ name: 'Bo', telegramUsername: 'bo_baker' });
  });

  test('replaces a lost link of the same person', async () => {
    const first = await cli(['invite', 'baker', '--expires', '2d']);
    const candidate = /--candidate (\S+)/.exec(first.out)?.[1] ?? '';
    const second = await cli(['invite', 'baker', '--candidate', candidate]);

    const tokens = [first, second].map(({ out }) => lineAfter(out, 'Web link').split('/i/')[1]);
    await expect(find(tokens[0] ?? '')).resolves.toMatchObject({ state: 'expired' });
    await expect(find(tokens[1] ?? '')).resolves.toMatchObject({
      state: 'ok',
      invitation: { candidateId: candidate },
    });
  });

  test('says how to get a Telegram link when there is no bot', async () => {
    const run = await cli(['invite', 'baker']);

    expect(lineAfter(run.out, 'Telegram link')).toContain('set TELEGRAM_BOT_NAME');
  });

  test("makes the running application's links without a setting, and settings win", async () => {
    const instances = new InstanceRepository(clock);
    await inCommit(async (tx) => {
      await instances.store(tx, {
        publicUrl: 'https://jobs.example.com',
        isBotOn: true,
        botName: '',
      });
      await instances.storeBotName(tx, 'crumb_bot');
    });

    const { out } = await cli(['invite', 'baker']);
    const own = await cli(['invite', 'baker'], {
      PUBLIC_URL: 'https://own.example.com',
      TELEGRAM_BOT_NAME: 'own_bot',
    });

    expect(lineAfter(out, 'Web link')).toMatch(/^https:\/\/jobs\.example\.com\/i\/./);
    expect(lineAfter(out, 'Telegram link')).toMatch(/^https:\/\/t\.me\/crumb_bot\?start=./);
    expect(lineAfter(own.out, 'Web link')).toMatch(/^https:\/\/own\.example\.com\/i\/./);
    expect(lineAfter(own.out, 'Telegram link')).toMatch(/^https:\/\/t\.me\/own_bot\?start=./);
  });

  test('forgets the name of a bot that is switched off, and keeps it over a restart', async () => {
    const instances = new InstanceRepository(clock);
    const start = { publicUrl: 'https://jobs.example.com', isBotOn: true, botName: '' };
    const names = await inCommit(async (tx) => {
      await instances.store(tx, start);
      await instances.storeBotName(tx, 'crumb_bot');
      await instances.store(tx, start);
      const kept = await instances.find(tx);
      await instances.store(tx, { ...start, isBotOn: false });
      return [kept?.botName, (await instances.find(tx))?.botName];
    });

    expect(names).toEqual(['crumb_bot', null]);
  });

  test.each([
    [[], "missing required argument 'vacancy'"],
    [['baker', '--expires', 'soon'], '--expires soon: expected days from 1d to 365d'],
    [['baker', '--telegram', 'a b'], '--telegram a b: expected a Telegram user name'],
    [
      ['baker', '--candidate', 'Bo'],
      '"Bo" is not a candidate\'s id: copy it from "./colloquy transcript ID" or from "./colloquy invite".',
    ],
    [['baker', '--nmae', 'Bo'], "unknown option '--nmae'"],
  ])('refuses %j in one sentence', async (args, sentence) => {
    const run = await cli(['invite', ...args]);

    expect(run).toMatchObject({ code: 2, out: '' });
    expect(run.err.split('\n')[0]).toContain(sentence);
    expect(run.err).not.toContain('    at ');
  });
});

describe('attention', () => {
  async function raise(subject: string): Promise<string> {
    const { attention } = attentionRig(clock);
    return inCommit(async (tx) => {
      await attention.raise(tx, { kind: 'braked', subject, reason: '74 writes at once' });
      return (await attention.list(tx)).at(-1)?.id ?? '';
    });
  }

  test('lists, shows and closes what needs a person', async () => {
    const id = await raise('user:5');

    const listed = await cli(['attention']);
    const shown = await cli(['attention', 'show', id]);
    const closed = await cli([
      'attention',
      'close',
      id,
      '--by',
      'Nora',
      '--reason',
      'it was right',
    ]);
    const after = await cli(['attention']);
    const all = await cli(['attention', 'list', '--all']);

    expect(listed.out).toMatch(new RegExp(`^${id}  .* UTC  braked  user:5  74 writes at once\n$`));
    expect(shown.out).toContain('reason        74 writes at once');
    expect(closed).toMatchObject({ code: 0, out: `Item ${id} is closed.\n` });
    expect(after.out).toBe('Nothing needs a person.\n');
    expect(all.out).toContain('[closed by Nora]');
  });

  test.each([
    [['close', '1', '--reason', 'x'], "required option '--by <name>' not specified"],
    [['close', '1', '--by', ' ', '--reason', 'x'], '--by: expected 1 to 120 characters'],
    [['show'], "missing required argument 'id'"],
    [['burn', '1'], 'too many arguments'],
  ])('refuses %j in one sentence', async (args, sentence) => {
    const run = await cli(['attention', ...args]);

    expect(run).toMatchObject({ code: 2, out: '' });
    expect(run.err.split('\n')[0]).toContain(sentence);
  });
});

test.each([
  ['calibrate', 'import', 'FILE', '--rater', 'Nora'],
  ['fairness', 'selection', 'FILE'],
  ['decision', 'verify', 'x.json', '--key', 'FILE'],
])('%s %s says that its file does not exist', async (...args) => {
  const file = join(tmpdir(), 'no-such-file.csv');

  const run = await cli(args.map((arg) => (arg === 'FILE' ? file : arg)));

  expect(run).toEqual({ code: 1, out: '', err: `${file}: there is no such file\n` });
});

test('calibrate report names the command of the fairness run that a rubric lacks', async () => {
  await cli(['vacancy', 'import', ENGLISH]);

  const { out } = await cli(['calibrate', 'report', '--vacancy', 'backend-engineer'], {
    SCORING: 'true',
    OPENAI_API_KEY: 'test',
  });

  expect(out).toContain(
    'there is no fairness run of this version: ./colloquy fairness run --vacancy backend-engineer.',
  );
});

describe('every command', () => {
  test('ends by itself as a process, with its exit code', async () => {
    const env = { DATABASE_URL: database().url };
    const [good, bad] = await Promise.all([
      runCliProcess(['attention'], env),
      runCliProcess(['attention', '--nonsense'], env),
    ]);

    expect(good).toMatchObject({ code: 0, err: '' });
    expect(bad).toMatchObject({ code: 2, out: '' });
  });

  test('lists the settings that are wrong', async () => {
    const run = await cli(['attention'], { PORT: 'x' });

    expect(run.code).toBe(1);
    expect(run.err).toMatch(/^PORT=x: expected a whole number/);
  });
});

test('a command refuses a data folder in which there is no database, and makes none', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'colloquy-cli-'));
  const run = await runCliProcess(['vacancy', 'list'], { COLLOQUY_DATA_DIR: dataDir });

  expect(run).toMatchObject({ code: 3, out: '' });
  expect(run.err).toBe(
    `There is no Colloquy database in ${dataDir}. Start Colloquy once (./colloquy start), or set COLLOQUY_DATA_DIR to its data folder or DATABASE_URL to its database.\n`,
  );
  expect(await readdir(dataDir)).toEqual([]);
  await rm(dataDir, { recursive: true });
});
