/** Says that rows would come, go or move, and lets them when somebody asks for it or nobody has the list in hand. */
import { Button } from '@mantine/core';
import { useKeys } from '../shell/keyboard';
import { useReleaseWhenFree } from './in-hand';
import { useInterviewTexts } from './texts';

interface ChangesProps {
  list: { readonly current: HTMLElement | null };
  count: number;
  hasSelection: boolean;
  release: () => void;
}

export function Changes({ list, count, hasSelection, release }: ChangesProps) {
  const texts = useInterviewTexts();
  useReleaseWhenFree(list, count > 0 && !hasSelection, release);
  useKeys({ u: () => (count > 0 ? release() : false) });
  return (
    <div className="changes" data-shown={count > 0}>
      <span role="status">{count > 0 ? texts.changes(count) : ''}</span>
      {count > 0 && (
        <Button
          size="compact-sm"
          variant="default"
          aria-keyshortcuts="u"
          rightSection={<kbd className="key">u</kbd>}
          onClick={release}
        >
          {texts.showChanges}
        </Button>
      )}
    </div>
  );
}
