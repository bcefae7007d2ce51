import { DataSource } from 'typeorm';
import { CandidateRepository } from '../../src/candidates';
import { hashToken, newId, newToken } from '../../src/common/ids';
import { InvitationRepository, VacancyRepository } from '../../src/vacancies';
import { migrate } from '../../src/persistence';
import { MIGRATIONS } from '../../src/persistence/data-source';
import { FindingTheInterview1764000000010 } from '../../src/persistence/migrations/1764000000010-finding-the-interview';
import { openTestDatabase } from '../support/app-database';
import { vacancyDraft } from '../support/vacancies';

test('invitations from before PINs could be looked up keep their links', async () => {
  const database = await openTestDatabase();
  const { clock, units } = database;
  const vacancies = new VacancyRepository(clock);
  const token = newToken();
  const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(FindingTheInterview1764000000010));
  const old = new DataSource({ type: 'postgres', url: database.url, migrations: before });
  await old.initialize();
  await old.query('drop schema public cascade; create schema public');
  await old.runMigrations();
  const { candidateId, vacancyId } = await units.run('test', (uow) =>
    uow.commit('test', async (tx) => {
      const { vacancy } = await vacancies.upsert(tx, vacancyDraft());
      const { id } = await new CandidateRepository(clock).create(tx);
      return { candidateId: id, vacancyId: vacancy.id };
    }),
  );
  await old.query(
    `insert into invitation (id, vacancy_id, candidate_id, token_hash, pin_hash, expires_at)
     values ($1, $2, $3, $4, 'scrypt$a$b', 'infinity'), ($5, $2, $3, 'x', 'scrypt$c$d', now())`,
    [newId(), vacancyId, candidateId, hashToken(token), newId()],
  );
  await old.destroy();

  await migrate(database.url);

  const found = await units.run('test', (uow) =>
    uow.commit('test', (tx) => new InvitationRepository(clock, vacancies).findByToken(tx, token)),
  );
  expect(found).toMatchObject({ state: 'ok', invitation: { candidateId, boundTo: null } });
  await database.close();
});
