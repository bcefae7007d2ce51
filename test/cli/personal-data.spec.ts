import { VacancyRepository } from '../../src/vacancies';
import { CandidateRepository } from '../../src/candidates';
import { newId } from '../../src/common/ids';
import { InvitationRepository } from '../../src/vacancies';
import type { PersonalDataExport } from '../../src/privacy';
import { invitationSecrets } from '../support/invitations';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, inCommit } from './cli-database';

const vacancies = new VacancyRepository(clock);

/** Somebody who was invited, and whose name tries to command a terminal. */
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

test('mydata prints everything as JSON that commands no terminal', async () => {
  const id = await invited();

  const { code, out, err } = await cli('mydata', ['--candidate', id]);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({
    profile: { name: 'Ada\u001b[2J\u202e', telegramUsername: 'ada_l' },
    invitations: [{ revokedAt: null }],
    conversations: [],
  });
  for (const command of ['\u001b', '\u202e']) expect(out).not.toContain(command);
});

test('mydata holds what the candidate has recorded', async () => {
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

  const { code, out } = await cli('mydata', ['--candidate', id]);

  expect(code).toBe(0);
  const { conversations } = JSON.parse(out) as PersonalDataExport;
  const recording = conversations[0]?.transcript[0]?.voice?.recording ?? '';
  expect(Buffer.from(recording, 'base64').equals(audio)).toBe(true);
});

test('forget erases with --yes, and then finds nobody', async () => {
  const id = await invited();

  const first = await cli('forget', ['--candidate', id, '--yes']);
  const second = await cli('forget', ['--candidate', id, '--yes']);
  const data = await cli('mydata', ['--candidate', id]);

  expect(first).toEqual({
    code: 0,
    err: '',
    out: 'Erased: the candidate, conversations: 0, messages: 0.\n',
  });
  expect(second).toEqual({ code: 0, err: '', out: 'Nothing is stored about this candidate.\n' });
  expect(data).toEqual({ code: 1, err: 'Nothing is stored about this candidate.\n', out: '' });
});

test('forget without --yes erases nothing', async () => {
  const id = await invited();

  const { code, err } = await cli('forget', ['--candidate', id]);

  expect(code).toBe(1);
  expect(err).toMatch(/^This cannot be undone\. Say --yes if it is meant\./);
  expect((await cli('mydata', ['--candidate', id])).code).toBe(0);
});

test.each([
  ['without a candidate', [], /^Say whom: --candidate ID\./],
  ['of no id', ['--candidate', 'Ada'], /^--candidate Ada: expected the id that invite printed/],
])('both refuse a call %s', async (_what, args, complaint) => {
  for (const name of ['mydata', 'forget']) {
    const { code, err } = await cli(name, [...args]);
    expect(code).toBe(1);
    expect(err).toMatch(complaint);
  }
});

test('mydata of an id that nobody has says so', async () => {
  const { code, err } = await cli('mydata', ['--candidate', newId()]);

  expect({ code, err }).toEqual({ code: 1, err: 'Nothing is stored about this candidate.\n' });
});
