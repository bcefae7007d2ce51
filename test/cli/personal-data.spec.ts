import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DomainEvents } from '../../src/common/events';
import { VacancyRepository } from '../../src/vacancies';
import { CandidateRepository } from '../../src/candidates';
import { newId } from '../../src/common/ids';
import { InvitationRepository } from '../../src/vacancies';
import { type PersonalDataExport, rulesOf } from '../../src/privacy';
import { settingsForTests } from '../support/settings';
import { invitationSecrets } from '../support/invitations';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, inCommit } from './cli-database';

const vacancies = new VacancyRepository(clock, new DomainEvents());

/** Somebody who was invited, and whose name has characters that control a terminal. */
async function invited(): Promise<string> {
  const secrets = invitationSecrets();
  return inCommit(async (tx) => {
    const { vacancy } = await vacancies.upsert(tx, vacancyDraft());
    const known = { name: 'Ada\u001b[2J\u202e', telegramUsername: 'ada_l' };
    const { id } = await new CandidateRepository(clock).create(tx, known);
    const invitations = new InvitationRepository(clock, vacancies);
    await invitations.issue(tx, { vacancyId: vacancy.id, candidateId: id, secrets });
    return id;
  });
}

test('export prints everything as JSON that cannot control a terminal', async () => {
  const id = await invited();

  const { code, out, err } = await cli(['candidate', 'export', id]);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({
    profile: { name: 'Ada\u001b[2J\u202e', telegramUsername: 'ada_l' },
    invitations: [{ revokedAt: null }],
    conversations: [],
  });
  for (const command of ['\u001b', '\u202e']) expect(out).not.toContain(command);
});

test('export holds the recordings of the candidate', async () => {
  const id = await invited();
  const audio = Buffer.from('OggS and what was said');
  await inCommit(async (tx) => {
    const [conversationId, messageId] = [newId(), newId()];
    await tx.query(
      `insert into conversation (id, vacancy_id, candidate_id, language, plan, status, state)
       select $1, v.id, $2, 'en', v.plan, 'active', '{}' from vacancy v limit 1`,
      [conversationId, id],
    );
    await tx.query(
      `insert into message (id, conversation_id, seq, role, channel, external_id, content_type,
         text, received_at)
       values ($1, $2, 1, 'user', 'web', 'voice-1', 'VOICE', 'Rye.', now())`,
      [messageId, conversationId],
    );
    await tx.query(
      `insert into voice (message_id, state, mime_type, size_bytes, bytes, transcript)
       values ($1, 'heard', 'audio/ogg', $2, $3, 'Rye.')`,
      [messageId, audio.length, audio],
    );
  });

  const { code, out } = await cli(['candidate', 'export', id]);

  expect(code).toBe(0);
  const { conversations } = JSON.parse(out) as PersonalDataExport;
  const recording = conversations[0]?.transcript[0]?.voice?.recording ?? '';
  expect(Buffer.from(recording, 'base64').equals(audio)).toBe(true);
});

test('erase deletes with --yes, and then finds nobody', async () => {
  const id = await invited();

  const first = await cli(['candidate', 'erase', id, '--yes']);
  const second = await cli(['candidate', 'erase', id, '--yes']);
  const data = await cli(['candidate', 'export', id]);

  expect(first).toEqual({
    code: 0,
    err: '',
    out:
      'Erased: the candidate, conversations: 0, messages: 0.\n' +
      'Nothing that names or quotes them is kept. Kept: how much was erased, by vacancy; ' +
      'the audit, with a hash of their id; the hashes of decision files.\n',
  });
  expect(second).toEqual({ code: 4, err: 'Nothing is stored about this candidate.\n', out: '' });
  expect(data).toEqual({ code: 4, err: 'Nothing is stored about this candidate.\n', out: '' });
});

test.each([
  ['us-co-sb26-189', '1096 days (Colorado SB 26-189'],
  ['us-ca-2ccr11013', '1461 days (2 CCR 11013(c)'],
])('erase goes before the period of %s, and says so', async (preset, period) => {
  const id = await invited();

  const erase = ['candidate', 'erase', id, '--yes'];
  const { code, out } = await cli(erase, { RETENTION_PRESET: preset });

  expect(code).toBe(0);
  expect(out).toContain('Nothing that names or quotes them is kept.');
  expect(out).toContain(`The period of ${period}`);
  expect(out).toContain('holds back no erasure.');
  expect((await cli(['candidate', 'export', id])).code).toBe(4);
});

test('the presets are listed in the document with their days', () => {
  const page = readFileSync(path.join(__dirname, '../../docs/retention.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` +\| (\d+) /gm)].map(([, preset, days]) => {
    const { retention } = settingsForTests({ RETENTION_PRESET: preset ?? '' });
    return [preset, Number(days), rulesOf(retention)[0]?.keptDays];
  });

  expect(listed.map(([preset]) => preset)).toEqual(
    expect.arrayContaining(['us-co-sb26-189', 'us-ca-2ccr11013']),
  );
  expect(listed.filter(([, shown, kept]) => shown !== kept)).toEqual([]);
});

test('erase without --yes deletes nothing', async () => {
  const id = await invited();

  const { code, err } = await cli(['candidate', 'erase', id]);

  expect(code).toBe(2);
  expect(err).toMatch(/^This cannot be undone: add --yes to confirm it\./);
  expect((await cli(['candidate', 'export', id])).code).toBe(0);
});

test.each([
  ['without a candidate', [], "missing required argument 'id'"],
  [
    'with a name',
    ['Ada'],
    '"Ada" is not a candidate\'s id: copy it from "./colloquy transcript ID" or from "./colloquy invite".',
  ],
])('export and erase refuse a call %s', async (_what, args, complaint) => {
  for (const name of ['export', 'erase']) {
    const { code, err } = await cli(['candidate', name, ...args]);
    expect(code).toBe(2);
    expect(err.split('\n')[0]).toBe(complaint);
  }
});

test('export of an unknown id says so', async () => {
  const { code, err } = await cli(['candidate', 'export', newId()]);

  expect({ code, err }).toEqual({ code: 4, err: 'Nothing is stored about this candidate.\n' });
});

/** Somebody who was created so many days ago, without an open invitation. */
async function createdDaysAgo(days: number): Promise<string> {
  return inCommit(async (tx) => {
    const { id } = await new CandidateRepository(clock).create(tx, { name: 'Ada' });
    await tx.query(
      `update candidate set created_at = created_at - interval '24 hours' * ${String(days)}
       where id = $1`,
      [id],
    );
    return id;
  });
}

test('retention shows what is due, spares whom a hold protects, and deletes with --yes', async () => {
  const [old, held] = [await createdDaysAgo(40), await createdDaysAgo(40)];
  await createdDaysAgo(20);
  const placed = await cli(['candidate', 'hold', held, '--reason', 'claim 17']);
  expect(placed.out).toBe('On legal hold: retention deletes nothing of this candidate.\n');

  const shown = await cli(['retention', '--dry-run', '--json']);
  expect(JSON.parse(shown.out)).toMatchObject({
    holds: 1,
    rules: [
      { class: 'transcript', keptDays: null, count: 0 },
      { class: 'media', keptDays: null, count: 0 },
      { class: 'scores', keptDays: null, count: 0 },
      { class: 'decisions', keptDays: null, count: 0 },
      { class: 'not_started', keptDays: 30, count: 1 },
      { class: 'preview', keptDays: 1, count: 0 },
      { class: 'account', keptDays: 30, count: 0 },
    ],
  });
  expect((await cli(['candidate', 'export', old])).code).toBe(0);

  const deleted = await cli(['retention', '--yes']);
  expect(deleted.out).toContain('candidates who never agreed: 1 deleted');
  expect((await cli(['candidate', 'export', old])).code).toBe(4);
  const exported = JSON.parse((await cli(['candidate', 'export', held])).out) as object;
  expect(exported).toMatchObject({ holders: { legalHold: { reason: 'claim 17' } } });
});

test('a hold needs a reason and a candidate; a release needs a hold', async () => {
  const id = await createdDaysAgo(1);

  const refused = await cli(['candidate', 'hold', id]);
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(/^required option '--reason <text>' not specified/);
  const empty = await cli(['candidate', 'hold', id, '--reason', ' ']);
  expect(empty.code).toBe(2);
  expect(empty.err).toMatch(/^--reason: expected 1 to 500 characters/);
  expect((await cli(['candidate', 'hold', newId(), '--reason', 'claim'])).code).toBe(4);
  expect(await cli(['candidate', 'release', id])).toEqual({
    code: 4,
    out: '',
    err: 'This candidate is not on legal hold.\n',
  });
});

test('retention without an option deletes nothing and says which to add', async () => {
  const { code, err } = await cli(['retention']);

  expect(code).toBe(2);
  expect(err).toMatch(/^Add --dry-run to see what is due, or --yes to delete it for good\./);
});

test('retention refuses --dry-run with --yes, and deletes nothing', async () => {
  const old = await createdDaysAgo(40);

  const { code, err } = await cli(['retention', '--dry-run', '--yes']);

  expect(code).toBe(2);
  expect(err).toMatch(/^--dry-run cannot go with --yes\./);
  expect((await cli(['candidate', 'export', old])).code).toBe(0);
});
