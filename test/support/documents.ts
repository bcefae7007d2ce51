import { documentOf } from '../../src/knowledge/document-files';

/** English documents with these texts, by their names. */
export function documentsOf(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([name, text]) => documentOf({ name, language: 'en', text }));
}
