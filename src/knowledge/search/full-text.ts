import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { type Passage, type PassageRow, PASSAGE_COLUMNS, passageOf } from './passage';
import { VOCABULARY } from './vocabulary';

/**
 * Passages by the words of a question, best first.
 *
 * A candidate writes a sentence, so no passage has all of its words: they are joined by OR, after
 * PostgreSQL has brought them to their stems and dropped the stop words. What is then left to do is
 * to weigh them, and PostgreSQL's own ranks (ts_rank, ts_rank_cd) do not know how rare a word is:
 * "work" and "team", which are everywhere in such documents, would outweigh "relocation". So the
 * rank is BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over the
 * vacancy's own passages, with a word of a heading counted as HEADING words of the text.
 */
@Injectable()
export class FullTextRepository {
  async find(
    tx: Tx,
    query: { readonly vacancyId: string; readonly question: string; readonly limit: number },
  ): Promise<Passage[]> {
    const { vacancyId, question, limit } = query;
    const rows = await tx.query<PassageRow>(FIND, [
      vacancyId,
      question,
      limit,
      VOCABULARY.languages,
      VOCABULARY.lines,
    ]);
    return rows.map(passageOf);
  }
}

const HEADING = 3;
/** What a word of the same meaning or the same root counts, beside the word itself. */
const KINDRED = 0.5;
/** The usual values of BM25: how soon repetition stops to count, and how much length counts. */
const K1 = 1.2;
const B = 0.75;
/** Stems of one root begin alike: so many letters at least, and so much of the longer one. */
const ROOT = 5;
const ROOT_SHARE = 0.7;

const SHARED = `greatest(${ROOT},
  ceil(${ROOT_SHARE} * greatest(length(found.lexeme), length(term.lexeme)))::int)`;

const CONFIGS = `(values ('ru', 'russian'::regconfig), ('en', 'english'::regconfig))
  as c (language, config)`;

/** A lexeme as a term of a tsquery, quoted; a long one by its root. */
const TERM = String.raw`'''' || replace(replace(left(lexeme, greatest(length(lexeme) - 3, ${ROOT})),
  '\', '\\'), '''', '''''') || ''':*'`;

/**
 * `word`: the question's stems. `term`: what may stand for one in a passage. `hit`: how often it
 * does, per passage and word.
 */
const FIND = `
with word as (
  select c.language, lexeme
  from ${CONFIGS},
    unnest(tsvector_to_array(to_tsvector(c.config, translate($2, 'ёЁ', 'еЕ')))) as lexeme
), kindred as (
  select v.language, v.line, lexeme
  from unnest($4::text[], $5::text[]) with ordinality as v (language, words, line)
  join ${CONFIGS} on c.language = v.language
  cross join unnest(tsvector_to_array(to_tsvector(c.config, v.words))) as lexeme
), term as (
  select language, word, lexeme, max(factor) as factor from (
    select language, lexeme as word, lexeme, 1 as factor from word
    union all
    select word.language, word.lexeme, other.lexeme, ${KINDRED} from word
    join kindred own on own.language = word.language and own.lexeme = word.lexeme
    join kindred other on other.language = own.language and other.line = own.line
  ) as all_terms (language, word, lexeme, factor)
  group by language, word, lexeme
), whole as (
  select count(*)::float8 as passages, avg(length(words))::float8 as length
  from knowledge_passage where vacancy_id = $1
), hit as (
  select p.id, length(p.words) as length, term.word,
    sum(case when found.lexeme = term.lexeme then term.factor else ${KINDRED} end
      * (select sum(case w when 'A' then ${HEADING} else 1 end) from unnest(found.weights) as w)
    )::float8 as times
  from (select language, string_agg(${TERM}, ' | ')::tsquery as query
        from term group by language) as q
  join knowledge_passage p
    on p.vacancy_id = $1 and p.language = q.language and p.words @@ q.query
  cross join unnest(p.words) as found
  join term on term.language = p.language and (found.lexeme = term.lexeme
    or term.factor = 1 and left(found.lexeme, ${SHARED}) = left(term.lexeme, ${SHARED}))
  group by p.id, term.word
), worth as (
  select word, ln(1 + (max(whole.passages) - count(*) + 0.5) / (count(*) + 0.5)) as idf
  from hit cross join whole group by word
), ranked as (
  select hit.id, sum(worth.idf * hit.times * ${K1 + 1}
    / (hit.times + ${K1} * (${1 - B} + ${B} * hit.length / whole.length))) as score
  from hit join worth using (word) cross join whole
  group by hit.id
)
select ${PASSAGE_COLUMNS}
from ranked r join knowledge_passage p using (id) join knowledge_document d on d.id = p.document_id
order by r.score desc, d.name, p.position limit $3`;
