import { rowsOf } from './outside';

/** The last migrations before the baseline, as the last commit that had them stored them. */
const OF_BEFORE = ['Baseline1764000000045', 'NoticesAndLetters1764000000082'];

/** What a build from before the baseline gets when it meets this version. */
export const OLD_SCHEMA =
  'The database was made by a build from before the first release, which this version cannot use: ' +
  'export what you need with commit 1c5a128b, then start this version with an empty database (docs/upgrade.md).';

/** Makes a migrated database one of the last commit before the baseline. */
export async function makeOld(url: string): Promise<void> {
  const rows = OF_BEFORE.map((name) => `(${name.slice(-13)}, '${name}')`);
  await rowsOf(
    url,
    `alter table turn rename column replied_at to answered_at;
     alter table notion_review add column looks int not null default 0;
     insert into candidate (id, name) values (gen_random_uuid(), 'Ada');
     delete from migrations;
     insert into migrations ("timestamp", name) values ${rows.join()}`,
  );
}
