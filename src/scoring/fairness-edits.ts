/**
 * Edits of an answer that change how something is said, or say something that must not count, and
 * leave what was done and with which result as it is. Pure: the same answer gives the same pairs.
 */

export interface BankAnswer {
  readonly language: 'ru' | 'en';
  /** With `[masculine|feminine]` endings and `{remarks}` that say nothing more. */
  readonly text: string;
  /** Only for this question; left out: for every question. */
  readonly questionId?: string;
}

export const EDIT_KINDS = [
  'hedged',
  'blunt',
  'longer',
  'shorter',
  'learner',
  'noise',
  'feminine',
  'gap',
  'name',
] as const;
export type EditKind = (typeof EDIT_KINDS)[number];

/** Two texts that deserve the same mark. */
export interface EditedPair {
  readonly kind: EditKind;
  readonly language: 'ru' | 'en';
  readonly from: string;
  readonly to: string;
}

interface Words {
  readonly hedges: readonly string[];
  readonly blunt: readonly string[];
  readonly remarks: readonly string[];
  readonly fillers: readonly string[];
  readonly gap: string;
  /** Names that people read as of different origin, in the way of M. Bertrand and S. Mullainathan, 2004. */
  readonly names: readonly (readonly [string, string])[];
  readonly introduction: (name: string) => string;
  readonly learner: (text: string) => string;
}

const WORDS: Readonly<Record<'ru' | 'en', Words>> = {
  en: {
    hedges: ['I think that ', 'Maybe ', 'I am not sure, but '],
    blunt: ['Obviously, ', 'Plain and simple: ', 'No question: '],
    remarks: ['That is how it was.', 'That is all there is to say here.', 'So it went, in short.'],
    fillers: ['uh', 'um', 'you know'],
    gap: 'After that I was at home with my family for two years and then came back to work.',
    names: [
      ['Emily Walsh', 'Lakisha Washington'],
      ['Greg Baker', 'Jamal Jones'],
    ],
    introduction: (name) => `My name is ${name}.`,
    // Articles, the ending of the past tense and prepositions are what learners often leave out.
    learner: (text) =>
      text
        .replace(/\b(?:the|an?) /g, '')
        .replace(/\bThe (\p{L})/gu, (_, letter: string) => letter.toUpperCase())
        .replace(/\b(asked|checked|showed|changed|started|measured|removed)\b/g, (verb) =>
          verb.endsWith('ged') || verb.endsWith('red') || verb.endsWith('ved')
            ? verb.slice(0, -1)
            : verb.slice(0, -2),
        )
        .replaceAll(' have been ', ' was ')
        .replaceAll(' were ', ' was '),
  },
  ru: {
    hedges: ['Мне кажется, ', 'Наверное, ', 'Не уверен до конца, но '],
    blunt: ['Разумеется, ', 'Тут всё просто: ', 'Без вопросов: '],
    remarks: ['Вот так это было.', 'Больше тут сказать нечего.', 'Так всё и прошло, если коротко.'],
    fillers: ['эм', 'ну', 'как бы'],
    gap: 'После этого я два года занимался семьёй, а затем снова вышел на работу.',
    names: [
      ['Сергей Иванов', 'Рустам Гафуров'],
      ['Андрей Смирнов', 'Тимур Ахмедов'],
    ],
    introduction: (name) => `Меня зовут ${name}.`,
    // Commas, double consonants, soft signs and «ё»/«о» are what learners often miss.
    learner: (text) =>
      text
        .replace(/,/g, '')
        .replace(/тся|ться/g, 'ца')
        .replace(/(\p{L})\1/gu, '$1')
        .replace(/ь(?=\p{L})/gu, '')
        .replace(/ё/g, 'о'),
  },
};

/** Every pair that this answer gives; an edit that changes nothing gives none. */
export function pairsOf({ language, text }: BankAnswer, index: number): EditedPair[] {
  const words = WORDS[language];
  const base = plain(text, 0);
  const [one, other] = words.names[index % words.names.length] ?? ['', ''];
  const edits: Readonly<Record<EditKind, readonly [from: string, to: string]>> = {
    hedged: [base, prefixed(base, words.hedges)],
    blunt: [base, prefixed(base, words.blunt)],
    longer: [base, lengthened(base, words.remarks)],
    shorter: [base, plain(text.replace(/\s*\{[^}]*\}/g, ''), 0)],
    learner: [base, words.learner(base)],
    noise: [base, transcribed(base, words.fillers)],
    feminine: [base, plain(text, 1)],
    gap: [base, `${base} ${words.gap}`],
    name: [`${words.introduction(one)} ${base}`, `${words.introduction(other)} ${base}`],
  };
  return EDIT_KINDS.flatMap((kind) => {
    const [from, to] = edits[kind];
    return from === to ? [] : [{ kind, language, from, to }];
  });
}

/** The text as it is sent: one of the endings, with its remarks. */
function plain(text: string, ending: 0 | 1): string {
  return text
    .replace(/\[([^|\]]*)\|([^\]]*)\]/g, (_, ...endings: string[]) => endings[ending] ?? '')
    .replace(/[{}]/g, '');
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/);
}

/** Every second sentence begins with one of these words. */
function prefixed(text: string, prefixes: readonly string[]): string {
  return sentencesOf(text)
    .map((sentence, index) => {
      if (index % 2 === 1) return sentence;
      return `${prefixes[(index / 2) % prefixes.length] ?? ''}${lowerFirst(sentence)}`;
    })
    .join(' ');
}

/** "I" stays as it is, and so does a name. */
function lowerFirst(sentence: string): string {
  if (/^(I\b|\p{Lu}\p{Lu})/u.test(sentence)) return sentence;
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

function lengthened(text: string, remarks: readonly string[]): string {
  return sentencesOf(text)
    .map((sentence, index) => `${sentence} ${remarks[index % remarks.length] ?? ''}`)
    .join(' ');
}

/** As a recogniser writes speech: no capitals, no punctuation, fillers, and words said twice. */
function transcribed(text: string, fillers: readonly string[]): string {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s'’-]/gu, '')
    .split(/\s+/);
  return words
    .flatMap((word, index) => {
      if (index % 9 === 8) return [word, word];
      return index % 6 === 5
        ? [fillers[Math.floor(index / 6) % fillers.length] ?? '', word]
        : [word];
    })
    .join(' ');
}
