import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The documents of a vacancy, cut into passages that can be found by their words or by vectors. No
 * extension is needed: a vacancy has at most some hundreds of passages, so vectors are plain bytes
 * that are compared in the process.
 */
export class Knowledge1764000000004 implements MigrationInterface {
  readonly name = 'Knowledge1764000000004';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statements of [DOCUMENTS, PASSAGES, EMBEDDINGS]) {
      await queryRunner.query(statements);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

const DOCUMENTS = `
create table knowledge_document (
  id uuid primary key,
  vacancy_id uuid not null references vacancy on delete cascade,
  name text not null,
  language text not null check (language in ('ru', 'en')),
  content_hash text not null,
  imported_at timestamptz not null,
  unique (vacancy_id, name)
);
`;

/**
 * `headings`: the path to the passage, one a line, outermost first. They weigh as A, the text as D.
 * People write е for ё as they please, so for searching they are the same letter.
 */
const PASSAGES = `
create table knowledge_passage (
  id uuid primary key,
  document_id uuid not null references knowledge_document on delete cascade,
  vacancy_id uuid not null references vacancy on delete cascade,
  position int not null,
  language text not null check (language in ('ru', 'en')),
  headings text not null,
  text text not null,
  words tsvector not null generated always as (
    setweight(to_tsvector(
      case language when 'ru' then 'russian'::regconfig else 'english'::regconfig end,
      translate(headings, 'ёЁ', 'еЕ')), 'A') ||
    setweight(to_tsvector(
      case language when 'ru' then 'russian'::regconfig else 'english'::regconfig end,
      translate(text, 'ёЁ', 'еЕ')), 'D')
  ) stored,
  unique (document_id, position)
);
create index knowledge_passage_words on knowledge_passage using gin (words);
create index knowledge_passage_vacancy on knowledge_passage (vacancy_id);
`;

/**
 * A row per passage and model, so that the vectors of two models never meet. Without a vector it
 * is a request under way or one that failed: it may be tried (again) from due_at.
 */
const EMBEDDINGS = `
create table knowledge_embedding (
  passage_id uuid not null references knowledge_passage on delete cascade,
  model text not null,
  dimensions int,
  vector bytea,
  tries int not null default 1,
  due_at timestamptz not null,
  primary key (passage_id, model),
  check ((vector is null) = (dimensions is null)),
  check (octet_length(vector) = dimensions * 4)
);
`;
