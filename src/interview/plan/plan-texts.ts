import type { InterviewPlan, Language, Question } from '../../vacancies';

/** Every wording of a question: the vacancy's own, and its translations. */
export function wordingsOf({ text, translations }: Question): readonly string[] {
  return [text, ...Object.values(translations ?? {})];
}

/** The question in this language where the plan has it, else as the vacancy words it. */
export function textIn(question: Question, language: Language): string {
  return question.translations?.[language] ?? question.text;
}

/** As `textIn`. */
export function greetingIn({ greeting, translations }: InterviewPlan, language: Language): string {
  return translations?.greeting?.[language] ?? greeting;
}

/** As `textIn`. */
export function closingIn({ closing, translations }: InterviewPlan, language: Language): string {
  return translations?.closing?.[language] ?? closing;
}

/**
 * How the plan asks for more: `followUp` after an answer that says too little, `probe` after a good one. Undefined
 * where the plan has none in this language.
 */
export function askingMoreIn(
  { followUp, probe }: Question,
  verdict: 'vague' | 'follow_up',
  language: Language,
): string | undefined {
  const text = verdict === 'vague' ? followUp : probe;
  return text !== undefined && isWrittenIn(text, language) ? text : undefined;
}

/** Every text of the plan that candidates see, in every language. */
export function textsOfPlan({
  greeting,
  closing,
  translations = {},
  questions,
}: InterviewPlan): readonly string[] {
  const translated = Object.values(translations).flatMap((texts) => Object.values(texts));
  return [greeting, closing, ...translated, ...questions.flatMap(wordingsOf)];
}

/** Whether `textIn` finds this language. */
export function isIn(question: Question, language: Language): boolean {
  return isWrittenIn(textIn(question, language), language);
}

/** A text with a Cyrillic letter is Russian. */
function isWrittenIn(text: string, language: Language): boolean {
  return /\p{Script=Cyrillic}/u.test(text) === (language === 'ru');
}
