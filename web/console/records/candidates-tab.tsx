/** Candidates, found by name or external id, for a copy of their data or its erasure. */
import { useMemo, useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { forgetInterviews } from '../forget';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { focusPageTitle } from '../shell/focus-back';
import { useListKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { SearchField } from '../shell/search-field';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { CandidateRow } from './candidate-row';
import { findCandidates } from './calls';
import type { Candidate } from './calls';
import { download } from './download';
import { EraseDialog } from './erase-dialog';
import { RECORDS } from './tabs';
import { useRecordsTexts } from './texts';

const PLACE = `${RECORDS}/candidates`;
const PAGE = 50;
const MAX_TEXT = 200;
const NONE: readonly Candidate[] = [];

export function CandidatesTab() {
  const { candidates, saved, more, tabs } = useRecordsTexts();
  const search = useSearch();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const text = (new URLSearchParams(search).get('text') ?? '').trim().slice(0, MAX_TEXT);
  const [question, setQuestion] = useState<Question | null>(null);
  const [erasing, setErasing] = useState<Candidate | null>(null);
  const rows = useRef<HTMLUListElement>(null);
  useListKeys(rows, '.person-menu');
  const list = useInfiniteQuery({
    queryKey: ['candidates', text],
    queryFn: ({ pageParam, signal }) =>
      findCandidates(
        {
          limit: PAGE,
          ...(text === '' ? {} : { text }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
  });
  const pages = list.data?.pages;
  const found = useMemo(() => pages?.flatMap(({ items }) => items) ?? NONE, [pages]);
  // Of a row that has gone.
  useLostFocus(list.data, focusPageTitle);
  const askExport = ({ id }: Candidate): void => {
    const { open: _, ...asked } = candidates.export;
    setQuestion({
      ...asked,
      run: async () => {
        await download(`/api/v1/admin/candidates/${id}/export`);
        told(saved);
      },
    });
  };
  const isEmpty = list.isSuccess && found.length === 0;
  return (
    <>
      <p className="records-lead">{candidates.lead}</p>
      <div className="filters" role="search" aria-label={candidates.search}>
        <SearchField
          label={candidates.search}
          text={text}
          onText={(next) => {
            const query = next.trim() === '' ? '' : `?text=${encodeURIComponent(next.trim())}`;
            navigate(PLACE + query, { replace: true });
          }}
          onDown={() => rows.current?.querySelector<HTMLElement>('.person-menu')?.focus()}
        />
      </div>
      {list.isPending && <Waiting rows={5} />}
      {list.error !== null && found.length === 0 && (
        <NotLoaded error={list.error} onAgain={list.refetch} />
      )}
      {isEmpty && <Sentence {...(text === '' ? candidates.empty : candidates.nothing)} />}
      {found.length > 0 && (
        <section className="people" aria-label={tabs.candidates} aria-busy={list.isFetching}>
          <ul ref={rows}>
            {found.map((one) => (
              <CandidateRow
                key={one.id}
                candidate={one}
                onExport={() => askExport(one)}
                onErase={() => setErasing(one)}
              />
            ))}
          </ul>
        </section>
      )}
      {list.hasNextPage && (
        <p>
          <Button variant="default" onClick={() => void list.fetchNextPage()}>
            {more}
          </Button>
        </p>
      )}
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
      <EraseDialog
        candidate={erasing}
        onClose={() => setErasing(null)}
        onErased={() => {
          forgetInterviews(
            queries,
            (erasing?.interviews ?? []).map(({ id }) => id),
          );
          setErasing(null);
          told(candidates.erase.done);
        }}
      />
    </>
  );
}
