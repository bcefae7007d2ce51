/** The editor with its checks, and how the interview reads beside it; the same for a stored vacancy and for a new one. */
import { useId, useMemo, useRef } from 'react';
import { Button } from '@mantine/core';
import { failed, told } from '../shell/notice';
import { useKeys } from '../shell/keyboard';
import type { FileProblem } from './calls';
import { EditorBox } from './editor-box';
import type { EditorHandle } from './editor-box';
import { PlanPreview } from './plan-preview';
import { ProblemList } from './problem-list';
import { useVacanciesTexts } from './texts';
import { useCheck } from './use-check';
import type { DraftState } from './use-draft';

interface WorkbenchProps {
  draft: DraftState;
  canWrite: boolean;
  /** Of the last save: what only the stored vacancy shows. Null: this text was not refused. */
  refused: readonly FileProblem[] | null;
  onChange: (text: string) => void;
  onSave: () => void;
}

export function Workbench({ draft, canWrite, refused, onChange, onSave }: WorkbenchProps) {
  const { page, search } = useVacanciesTexts();
  const check = useCheck(draft.text, canWrite);
  const editor = useRef<EditorHandle>(null);
  const how = useId();
  const mistakes = useId();
  const problems = refused ?? check.problems;
  const words = useMemo(
    () => ({
      label: page.file,
      describedBy: canWrite ? `${mistakes} ${how}` : how,
      phrases: search,
    }),
    [page, search, mistakes, how, canWrite],
  );
  useKeys({ e: () => editor.current?.focus() });
  return (
    <div className={canWrite ? 'vacancy-work' : undefined}>
      <div className="vacancy-text">
        <EditorBox
          text={draft.text}
          words={words}
          problems={problems}
          isReadOnly={!canWrite}
          waiting={page.loading}
          failed={page.failed}
          handle={editor}
          onChange={onChange}
          onSave={onSave}
        />
        {canWrite && (
          <ProblemList
            id={mistakes}
            problems={problems}
            isCurrent={check.isCurrent || refused !== null}
            failure={check.failure}
            onGoTo={(line) => editor.current?.goTo(line)}
          />
        )}
        <p id={how} className="vacancy-note">
          {canWrite ? `${page.how} ${page.comments}` : page.readOnly}
        </p>
      </div>
      {canWrite && <PlanPreview plan={check.plan} isStale={problems.length > 0} />}
    </div>
  );
}

/** Whether the text is saved, and what else of it is kept. */
export function DraftBar({ draft, mayPutAside }: { draft: DraftState; mayPutAside: boolean }) {
  const { page } = useVacanciesTexts();
  const { isChanged, isKept, aside } = draft;
  const putAside = (): void => {
    if (draft.putAside()) told(page.putAsideDone);
    else failed(page.noRoom);
  };
  return (
    <>
      <p className="draft-state" role="status">
        {isChanged ? (isKept ? page.unsaved : page.notKept) : ''}
      </p>
      {isChanged && mayPutAside && (
        <Button variant="subtle" size="sm" onClick={putAside}>
          {page.putAside}
        </Button>
      )}
      {aside !== null && (
        <div className="vacancy-notice">
          <p>{page.aside}</p>
          <Button variant="default" size="sm" onClick={draft.bringBack}>
            {page.bringBack}
          </Button>
          <Button variant="subtle" size="sm" onClick={draft.dropAside}>
            {page.dropAside}
          </Button>
        </div>
      )}
    </>
  );
}
