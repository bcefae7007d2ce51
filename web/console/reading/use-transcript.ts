/** The transcript of an interview, as far as it is loaded: the newest page first, earlier ones when they are needed. */
import { useEffect, useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { readTranscript } from './calls';
import { TRANSCRIPT } from './keys';

/** The lines that are loaded, in their order, and facts of the newest page. */
export function useTranscript(id: string) {
  const query = useInfiniteQuery({
    queryKey: TRANSCRIPT(id),
    queryFn: ({ pageParam }) => readTranscript(id, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: ({ olderCursor }) => olderCursor,
  });
  const pages = query.data?.pages;
  const lines = useMemo(() => pages?.toReversed().flatMap((one) => one.lines) ?? [], [pages]);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const onOlder = useMemo(
    () =>
      hasNextPage
        ? () => {
            if (!isFetchingNextPage) void fetchNextPage();
          }
        : null,
    [hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  const { error, refetch } = query;
  return { data: pages?.[0], lines, onOlder, hasFailed: isFetchNextPageError, error, refetch };
}

export type Transcript = ReturnType<typeof useTranscript>;

/** Earlier pages are read until every quoted line is there. */
export function useQuotedLines(
  { onOlder, hasFailed }: Pick<Transcript, 'onOlder' | 'hasFailed'>,
  quoted: ReadonlyMap<string, unknown>,
  words: ReadonlyMap<string, unknown>,
): void {
  useEffect(() => {
    const isMissing = [...quoted.keys()].some((messageId) => !words.has(messageId));
    if (isMissing && !hasFailed) onOlder?.();
  }, [onOlder, hasFailed, quoted, words]);
}
