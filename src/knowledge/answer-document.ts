import { type Chunk, chunksOf } from './document-chunks';
import { type KnowledgeLanguage, type VacancyDocument, documentOfChunks } from './document-files';

const TITLES: Readonly<Record<KnowledgeLanguage, string>> = {
  en: 'Questions and answers',
  ru: 'Вопросы и ответы',
};

const nameIn = (language: KnowledgeLanguage): string => `questions-and-answers.${language}.md`;

/**
 * The documents that hold what people have answered to candidates of a vacancy, one for each language. They are no
 * part of the vacancy's file: neither an import nor a replacement of the file removes them.
 */
export const ANSWER_DOCUMENTS: readonly string[] = [nameIn('en'), nameIn('ru')];

export function isAnswerDocument(name: string): boolean {
  return ANSWER_DOCUMENTS.includes(name);
}

/** Which document an answer in this language belongs to. */
export function answerDocumentName(language: KnowledgeLanguage): string {
  return nameIn(language);
}

/**
 * The document with one answer more; pure. `stored`: its passages before. An earlier answer to the same question
 * is replaced.
 */
export function withAnswer(
  stored: readonly Chunk[],
  { question, answer, language }: AnsweredQuestion,
): VacancyDocument {
  const heading = question.normalize('NFC').replace(/\s+/g, ' ').trim();
  const text = answer.replace(/\r\n?/g, '\n').normalize('NFC');
  const others = stored.filter(({ headings }) => headings.at(-1) !== heading);
  const headings = [TITLES[language], heading];
  const added = chunksOf(text, 'text').map((chunk) => ({ headings, text: chunk.text }));
  return documentOfChunks({ name: nameIn(language), language, chunks: [...others, ...added] });
}

/** The question in the words of the person who answers it, so that no candidate is quoted. */
interface AnsweredQuestion {
  readonly question: string;
  readonly answer: string;
  readonly language: KnowledgeLanguage;
}
