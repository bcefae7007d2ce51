/** Reads everything of an interview that its report may show to the signed-in person. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../shell/session';
import { readDecisions, readInterview, readRatings, readScorecard, readTranscript } from '../calls';
import type { Decision, Line, ReadInterview, Transcript } from '../calls';
import { reportOf } from './report';
import type { Report } from './report';

export interface WholeReport extends Report {
  interview: ReadInterview;
  transcript: Omit<Transcript, 'lines' | 'olderCursor'>;
  decisions: readonly Decision[];
}

export function useReport(id: string) {
  const { scopes } = useSession();
  return useQuery({
    queryKey: ['interview', id, 'report'],
    queryFn: () => read(id, scopes),
    // What is printed stands still while it is read.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

async function read(id: string, scopes: readonly string[]): Promise<WholeReport> {
  const [interview, { lines, ...transcript }] = await Promise.all([
    readInterview(id),
    wholeTranscript(id),
  ]);
  // In this order: what is read of others fixes one's own ratings, which are read with them.
  const ratings = scopes.includes('ratings:write') ? (await readRatings(id)).questions : [];
  const scorings = scopes.includes('scores:read') ? (await readScorecard(id)).scorings : [];
  const decisions = scopes.includes('decisions:read') ? (await readDecisions(id)).items : [];
  const report = reportOf({ interview, lines, ratings, scorings });
  return { ...report, interview, transcript, decisions };
}

/** The newest page comes first. */
async function wholeTranscript(id: string): Promise<Transcript> {
  let page = await readTranscript(id, null);
  let lines: readonly Line[] = page.lines;
  while (page.olderCursor !== null) {
    page = await readTranscript(id, page.olderCursor);
    lines = [...page.lines, ...lines];
  }
  return { ...page, lines: [...lines] };
}
