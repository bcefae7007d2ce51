/**
 * Reads everything of an interview that its report may show to the signed-in person. What others gave is read when the
 * person wants it, because from then on their own ratings stay as they are. Where they stay already, or nothing can be
 * rated, it is read at once.
 */
import { useState } from 'react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  readDecisions,
  readInterview,
  readRatings,
  readScorecard,
  readTranscript,
} from '../../reading/calls';
import type { Decision, InterviewInFull, TranscriptPage } from '../../reading/calls';
import { useSession } from '../../shell/session';
import { othersFor, reportOf } from './report';
import type { Line, Others, Report } from './report';

export interface WholeReport extends Report {
  interview: InterviewInFull;
  transcript: Omit<TranscriptPage, 'lines' | 'olderCursor'>;
  decisions: readonly Decision[];
  others: Others;
}

export function useReport(id: string) {
  const { scopes } = useSession();
  const queries = useQueryClient();
  const [isWanted, setWanted] = useState(false);
  const report = useQuery({
    // Not one of `interview`, which the team's stream has read again: what is printed stands still while it is read.
    queryKey: ['report', id, isWanted],
    queryFn: async () => {
      const found = await read(id, { scopes, isWanted });
      // With what it shows of others, one's own ratings are fixed.
      if (isWanted) await queries.invalidateQueries({ queryKey: ['ratings', id] });
      return found;
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    // A whole interview does not stay in memory.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return { ...report, showOthers: () => setWanted(true) };
}

async function read(
  id: string,
  { scopes, isWanted }: { readonly scopes: readonly string[]; readonly isWanted: boolean },
): Promise<WholeReport> {
  const [interview, { lines, ...transcript }] = await Promise.all([
    readInterview(id),
    wholeTranscript(id),
  ]);
  const mayRate = scopes.includes('ratings:write');
  const own = mayRate ? (await readRatings(id, true)).questions : [];
  const others = othersFor(own, { canRate: transcript.status === 'completed', isWanted });
  const isShown = others === 'shown';
  // In this order: what is read of others fixes one's own ratings, which are read with them.
  const hasScores = isShown && scopes.includes('scores:read');
  const scorings = hasScores ? (await readScorecard(id)).scorings : [];
  const ratings = isShown && mayRate ? (await readRatings(id, false)).questions : own;
  const decisions = scopes.includes('decisions:read') ? (await readDecisions(id)).items : [];
  const report = reportOf({ interview, lines, ratings, scorings });
  return { ...report, interview, transcript, decisions, others };
}

/** The newest page comes first. */
async function wholeTranscript(id: string): Promise<TranscriptPage> {
  let page = await readTranscript(id, null);
  let lines: readonly Line[] = page.lines;
  while (page.olderCursor !== null) {
    page = await readTranscript(id, page.olderCursor);
    lines = [...page.lines, ...lines];
  }
  return { ...page, lines: [...lines] };
}
