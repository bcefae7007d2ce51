-- Documents that the interviewer answers questions from.

-- The documents of a vacancy.
create table knowledge_document (
  id uuid primary key,
  vacancy_id uuid not null references vacancy(id) on delete cascade,
  name text not null,
  language text not null check (language in ('ru', 'en')),
  content_hash text not null,
  imported_at timestamptz not null,
  constraint knowledge_document_vacancy_id_name_key unique (vacancy_id, name)
);

-- Passages of documents, found by their words or by vectors.
--   headings: the path of headings to the passage, one a line, the outermost first
--   words: headings have the weight A, the text has D. People write either е or ё, so both count as
--     the same letter in a search.
create table knowledge_passage (
  id uuid primary key,
  document_id uuid not null references knowledge_document(id) on delete cascade,
  vacancy_id uuid not null references vacancy(id) on delete cascade,
  position int not null,
  language text not null check (language in ('ru', 'en')),
  headings text not null,
  text text not null,
  words tsvector not null generated always as (
    setweight(to_tsvector(case language when 'ru' then 'russian'::regconfig
      else 'english'::regconfig end, translate(headings, 'ёЁ', 'еЕ')), 'A')
    || setweight(to_tsvector(case language when 'ru' then 'russian'::regconfig
      else 'english'::regconfig end, translate(text, 'ёЁ', 'еЕ')), 'D')) stored,
  constraint knowledge_passage_document_id_position_key unique (document_id, position)
);
create index knowledge_passage_vacancy on knowledge_passage (vacancy_id);
create index knowledge_passage_words on knowledge_passage using gin (words);

-- A row for each passage and model, so that vectors of two models are never compared. A row without
-- a vector is a request that is under way, or one that failed and is tried again from `due_at`. A
-- vacancy has at most some hundreds of passages, so no extension is needed: vectors are plain
-- bytes, and the process compares them.
create table knowledge_embedding (
  passage_id uuid not null references knowledge_passage(id) on delete cascade,
  model text not null,
  dimensions int,
  vector bytea,
  tries int not null default 1,
  due_at timestamptz not null,
  constraint knowledge_embedding_pkey primary key (passage_id, model),
  constraint knowledge_embedding_check check ((vector is null) = (dimensions is null)),
  constraint knowledge_embedding_check1 check (octet_length(vector) = (dimensions * 4))
);
