/** The requests of the vacancies' pages. */
import { gated } from '../api/calls';
import { ApiProblem, done } from '../api/problem';

const YAML = 'application/yaml';

/** A mistake in a file, with its place. */
export interface FileProblem {
  /** Counted from 1. */
  line: number;
  /** `/questions/3/text`; empty for the whole file. */
  pointer: string;
  reason: string;
}

/** The server refuses the file for these mistakes. */
export class FileRefused extends ApiProblem {
  constructor(readonly problems: readonly FileProblem[]) {
    super(422, 'vacancy_file_invalid');
  }
}

export const listCounted = () =>
  done(gated.GET('/api/v1/vacancies', { params: { query: { counts: 'interviews' } } }));

/** A vacancy, and its file as it is stored. */
export async function readVacancy(slug: string, signal: AbortSignal) {
  const params = { path: { slug } };
  const file = gated.GET('/api/v1/vacancies/{slug}/file', {
    params,
    signal,
    headers: { accept: YAML },
    parseAs: 'text',
  });
  const [about, text, documents] = await Promise.all([
    done(gated.GET('/api/v1/vacancies/{slug}', { params, signal })),
    done(file),
    done(gated.GET('/api/v1/vacancies/{slug}/documents', { params, signal })),
  ]);
  const { response } = await file;
  return { ...about, text, version: versionIn(response), documents: documents.items };
}

export async function checkFile(text: string, signal: AbortSignal) {
  const { data } = await accepted(
    gated.POST('/api/v1/vacancies/validate', { ...yaml(text), signal }),
  );
  return data;
}

export async function createVacancy(text: string) {
  const { data } = await accepted(gated.POST('/api/v1/vacancies', yaml(text)));
  return data;
}

/** Returns the version of the file that is stored now. `base`: of the one that it replaces. */
export async function saveFile(slug: string, text: string, base: string): Promise<string> {
  const { headers, ...sent } = yaml(text);
  const { response } = await accepted(
    gated.PUT('/api/v1/vacancies/{slug}/file', {
      ...sent,
      params: { path: { slug }, header: { 'if-match': `"${base}"` } },
      headers,
    }),
  );
  return versionIn(response);
}

export const closeVacancy = (slug: string) =>
  done(gated.POST('/api/v1/vacancies/{slug}/close', { params: { path: { slug } } }));

export const reopenVacancy = (slug: string) =>
  done(gated.POST('/api/v1/vacancies/{slug}/reopen', { params: { path: { slug } } }));

export const openPreview = (slug: string) =>
  done(gated.POST('/api/v1/vacancies/{slug}/preview', { params: { path: { slug } } }));

export const putDocument = (slug: string, file: File) =>
  done(
    gated.PUT('/api/v1/vacancies/{slug}/documents/{name}', {
      ...bytes(file, 'text/markdown'),
      params: { path: { slug, name: file.name } },
    }),
  );

export const removeDocument = (slug: string, name: string) =>
  done(
    gated.DELETE('/api/v1/vacancies/{slug}/documents/{name}', { params: { path: { slug, name } } }),
  );

/** Its content tells its type, whatever is said here. */
export const putLogo = (slug: string, file: File) =>
  done(
    gated.PUT('/api/v1/vacancies/{slug}/logo', {
      ...bytes(file, 'image/png'),
      params: { path: { slug } },
    }),
  );

export const removeLogo = (slug: string) =>
  done(gated.DELETE('/api/v1/vacancies/{slug}/logo', { params: { path: { slug } } }));

export const listVersions = (slug: string) =>
  done(gated.GET('/api/v1/vacancies/{slug}/versions', { params: { path: { slug } } }));

export const readVersion = (slug: string, version: string) =>
  done(
    gated.GET('/api/v1/vacancies/{slug}/versions/{version}', {
      params: { path: { slug, version } },
    }),
  );

/** A body of text, where the document of the API describes the file as JSON. */
function yaml(text: string) {
  return {
    body: text as never,
    bodySerializer: (body: unknown) => body as string,
    headers: { 'content-type': YAML },
  };
}

function bytes(file: File, type: string) {
  return {
    body: file as never,
    bodySerializer: (body: unknown) => body as File,
    headers: { 'content-type': type },
  };
}

interface Answered<T> {
  data?: T | undefined;
  error?: unknown;
  response: Response;
}

/** Throws FileRefused where the file has mistakes, and otherwise what `done` throws. */
async function accepted<T>(call: Promise<Answered<T>>): Promise<{ data: T; response: Response }> {
  try {
    const data = await done(call);
    return { data, response: (await call).response };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'vacancy_file_invalid') throw error;
    throw new FileRefused(problemsIn((await call).error));
  }
}

function problemsIn(document: unknown): FileProblem[] {
  if (typeof document !== 'object' || document === null || !('problems' in document)) return [];
  const { problems } = document;
  return Array.isArray(problems) ? problems.filter(isFileProblem) : [];
}

function isFileProblem(value: unknown): value is FileProblem {
  if (typeof value !== 'object' || value === null) return false;
  return 'line' in value && typeof value.line === 'number' && 'reason' in value;
}

/** A proxy that compresses the response marks its tag as a weak one. */
function versionIn({ headers }: Response): string {
  return (headers.get('etag') ?? '').replace(/^W\//, '').replaceAll('"', '');
}

export type CountedVacancy = Awaited<ReturnType<typeof listCounted>>['items'][number];
export type StoredVacancy = Awaited<ReturnType<typeof readVacancy>>;
export type CheckedVacancy = Awaited<ReturnType<typeof checkFile>>;
export type Version = Awaited<ReturnType<typeof listVersions>>['items'][number];
