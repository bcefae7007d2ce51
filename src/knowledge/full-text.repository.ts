import type { KnowledgeLanguage } from './document-files';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import { type Passage, type PassageRow, PASSAGE_COLUMNS, passageOf } from './passage';

/**
 * Passages by the words of a question, best first.
 *
 * A candidate writes a sentence, and no passage has all of its words. So the words are joined by
 * OR, after PostgreSQL has reduced them to stems and dropped the stop words. PostgreSQL's own ranks
 * (ts_rank, ts_rank_cd) ignore how rare a word is: "work" and "team", which are everywhere in such
 * documents, would outweigh "relocation". So the rank is BM25 (Robertson and Zaragoza, "The
 * Probabilistic Relevance Framework", 2009) over the vacancy's passages; a word of a heading counts
 * as HEADING words of the text.
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

/**
 * Synonyms of working life, one group a line: candidates say "vacation", personnel departments
 * write "leave". PostgreSQL's dictionaries know endings but no meanings, and its own thesaurus
 * would need files on the database server. Only general words of hiring; a company's own words are
 * in its documents.
 */
const ENGLISH = `
vacation holiday leave PTO
salary pay wage compensation income earn
bonus incentive premium
shares stock equity options RSU
remote home WFH hybrid
office building onsite desk
abroad overseas foreign country countries nomad
relocation relocate move moving
visa permit sponsor sponsorship immigration
sick ill illness sickness doctor
parental maternity paternity parent mother father birth baby
child children kid family
probation probationary trial
notice resign resignation quit
insurance medical health healthcare dental
pension retirement
overtime extra hours
schedule hours shift timetable
part-time half-time reduced
on-call pager alert night rota
laptop computer hardware equipment device
training learning course education conference study
promotion career growth advancement grade level
team group colleague coworker
manager boss lead supervisor report
meeting stand-up call sync
technology stack framework language tool
database storage SQL
cloud infrastructure hosting server
deploy deployment release ship
review approve approval
test testing QA quality
legacy debt old outdated
hiring interview recruitment selection stage step
homework take-home assignment job exercise
reject refuse decline rejection
feedback answer reply response
profit profitable revenue earnings funding investor
customer client user
competitor rival alternative
accessibility disability disabled wheelchair accommodation
privacy personal data GDPR
travel trip business-trip
start onboarding first
AI copilot chatbot assistant`;

const RUSSIAN = `
отпуск каникулы отдых
зарплата оклад доход ставка вилка платить
премия бонус
удаленно удаленка удаленный дистанционно гибрид дом дома
офис метро адрес
заграница зарубеж страна граница
переезд переехать релокация
виза разрешение
больничный болезнь болеть заболеть
декрет ребенок дети родители отец мать рождение
испытательный испытание стажировка
уволиться увольнение уволить отработка
страховка страхование дмс медицинский полис врач
сверхурочные переработка
график расписание смена часы
дежурство дежурить ночь ночной
ноутбук компьютер техника оборудование
обучение учеба курсы образование конференция тренинг
карьера рост повышение грейд развитие
группа команда коллектив коллега отдел
руководитель начальник босс подчиняться
система программа инструмент сервис софт CRM
обращение тикет заявка запрос
показатель метрика цифра KPI норма
качество контроль проверка оценка
нанимать найм брать подбор собеседование
полномочия ответственность решать
отбор этап интервью собеседование
тестовое задание
отказ отказать отказывать
ответ фидбек отзыв обратная
оформление оформить договор трудоустройство ТК ИП самозанятость
выход выйти выходить начать приступить старт
командировка поездка ездить
трудный тяжелый сложный минус недостаток проблема
клиент гость покупатель пользователь
прибыль выручка зарабатывать заработок
конкурент аналог
льготы бонусы скидки компенсация
спорт фитнес
психолог выгорание
инвалидность доступность коляска
данные конфиденциальность
нейросеть ИИ бот автоматизация
наставник адаптация онбординг
задача цель план`;

/** The lines and their languages, as two columns of equal length. */
export const VOCABULARY: { readonly languages: KnowledgeLanguage[]; readonly lines: string[] } = {
  languages: [
    ...linesOf(ENGLISH).map(() => 'en' as const),
    ...linesOf(RUSSIAN).map(() => 'ru' as const),
  ],
  lines: [...linesOf(ENGLISH), ...linesOf(RUSSIAN)],
};

function linesOf(text: string): string[] {
  return text.trim().split('\n');
}

const HEADING = 3;
/** The weight of a word of the same meaning or root; the word itself has 1. */
const KINDRED = 0.5;
/** The usual values of BM25: how soon repetitions stop counting, and how much length counts. */
const K1 = 1.2;
const B = 0.75;
/**
 * Stems have the same root when they share this many first letters, and this share of the longer one.
 */
const ROOT = 5;
const ROOT_SHARE = 0.7;

const SHARED = `greatest(${ROOT},
  ceil(${ROOT_SHARE} * greatest(length(found.lexeme), length(term.lexeme)))::int)`;

const CONFIGS = `(values ('ru', 'russian'::regconfig), ('en', 'english'::regconfig))
  as c (language, config)`;

/** A lexeme as a quoted term of a tsquery; a long one is shortened to its root. */
const TERM = String.raw`'''' || replace(replace(left(lexeme, greatest(length(lexeme) - 3, ${ROOT})),
  '\', '\\'), '''', '''''') || ''':*'`;

/**
 * `word`: the question's stems. `term`: the lexemes that match a word in a passage. `hit`: how
 * often they do, per passage and word.
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
