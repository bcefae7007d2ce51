import { VacancyRepository } from '../../src/vacancies';
import { CandidateRepository } from '../../src/candidates';
import { newId } from '../../src/common/ids';
import { InvitationRepository } from '../../src/vacancies';
import type { PersonalDataExport } from '../../src/privacy';
import { invitationSecrets } from '../support/invitations';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, inCommit } from './cli-database';

const vacancies = new VacancyRepository(clock);

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

  const { code, out, err } = await cli(['candidate', 'export', '--candidate', id]);

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

  const { code, out } = await cli(['candidate', 'export', '--candidate', id]);

  expect(code).toBe(0);
  const { conversations } = JSON.parse(out) as PersonalDataExport;
  const recording = conversations[0]?.transcript[0]?.voice?.recording ?? '';
  expect(Buffer.from(recording, 'base64').equals(audio)).toBe(true);
});

test('erase deletes with --yes, and then finds nobody', async () => {
  const id = await invited();

  const first = await cli(['candidate', 'erase', '--candidate', id, '--yes']);
  const second = await cli(['candidate', 'erase', '--candidate', id, '--yes']);
  const data = await cli(['candidate', 'export', '--candidate', id]);

  expect(first).toEqual({
    code: 0,
    err: '',
    out: 'Erased: the candidate, conversations: 0, messages: 0.\n',
  });
  expect(second).toEqual({ code: 4, err: 'Nothing is stored about this candidate.\n', out: '' });
  expect(data).toEqual({ code: 4, err: 'Nothing is stored about this candidate.\n', out: '' });
});

test('erase without --yes deletes nothing', async () => {
  const id = await invited();

  const { code, err } = await cli(['candidate', 'erase', '--candidate', id]);

  expect(code).toBe(2);
  expect(err).toMatch(/^error: This cannot be undone: add --yes to confirm it\./);
  expect((await cli(['candidate', 'export', '--candidate', id])).code).toBe(0);
});

test.each([
  ['without a candidate', [], /^error: Say which candidate: --candidate ID\./],
  [
    'without an id',
    ['--candidate', 'Ada'],
    /^error: --candidate Ada: expected the id that invite printed/,
  ],
])('export and erase refuse a call %s', async (_what, args, complaint) => {
  for (const name of ['export', 'erase']) {
    const { code, err } = await cli(['candidate', name, ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(complaint);
  }
});

test('export of an unknown id says so', async () => {
  const { code, err } = await cli(['candidate', 'export', '--candidate', newId()]);

  expect({ code, err }).toEqual({ code: 4, err: 'Nothing is stored about this candidate.\n' });
});
