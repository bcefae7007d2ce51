/**
 * Finds vacancies by what a person types. Pure: a deployment has tens of vacancies, so their names
 * are compared in the process. Words may be parts or other forms of a name's words («группу» finds
 * «группы»), in any order. ё equals е; accents and case are ignored.
 */
export interface SearchedVacancy {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly company: string;
}

/** Longer input is cut to this length. */
const MAX_QUERY = 200;
/** `+` and `#` for C++ and C#. */
const WORD = /[\p{L}\p{N}+#]+/gu;
const ACCENTS_ON_LATIN = /(?<=[a-z]\p{M}*)\p{M}/gu;
/** A shorter word, like «в» or "at", only ranks what other words have found. */
const MIN_TELLING = 3;
const MIN_STEM = 4;
const MAX_ENDING = 3;

/** Scores of a word: the same word, its beginning, another form of it, a part inside it. */
const SAME = 8;
const BEGINNING = 4;
const FORM = 3;
const INSIDE = 2;

/** The ids of matching vacancies, best first, then by title. A query without words finds all. */
export function searchVacancies(query: string, vacancies: readonly SearchedVacancy[]): string[] {
  const words = wordsOf(query.slice(0, MAX_QUERY));
  const telling = words.filter((word) => word.length >= MIN_TELLING);
  return vacancies
    .map((vacancy) => {
      const names = wordsOf(`${vacancy.title} ${vacancy.company} ${vacancy.slug}`);
      const isFound = (telling.length === 0 ? words : telling).some((word) => fit(word, names) > 0);
      return { vacancy, isFound, score: words.reduce((sum, word) => sum + fit(word, names), 0) };
    })
    .filter(({ isFound }) => isFound || words.length === 0)
    .sort((a, b) => b.score - a.score || byTitle(a.vacancy, b.vacancy))
    .map(({ vacancy }) => vacancy.id);
}

function byTitle(a: SearchedVacancy, b: SearchedVacancy): number {
  return a.title.localeCompare(b.title) || a.slug.localeCompare(b.slug);
}

function fit(word: string, names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => likeness(word, name)));
}

function likeness(word: string, name: string): number {
  if (word === name) return SAME;
  if (word.length < MIN_TELLING) return 0;
  if (name.startsWith(word)) return BEGINNING;
  if (isFormOf(word, name)) return FORM;
  return name.includes(word) ? INSIDE : 0;
}

/** Two words that differ only in their endings, like cases and numbers in Russian and English. */
function isFormOf(word: string, name: string): boolean {
  let stem = 0;
  while (stem < word.length && word[stem] === name[stem]) stem += 1;
  const longest = Math.max(word.length, name.length) - stem;
  return stem >= MIN_STEM && longest <= MAX_ENDING;
}

function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS_ON_LATIN, '')
    .normalize('NFC')
    .replaceAll('ё', 'е');
  return [...new Set(folded.match(WORD) ?? [])];
}
