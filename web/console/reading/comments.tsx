/** Comments on an answer, or on the whole interview. Colleagues' are shown with what they gave. */
import { useId, useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { Ago } from '../moments';
import { newUuid } from '../new-uuid';
import { BusyButton } from '../shell/busy-button';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { told } from '../shell/notice';
import { useProblem } from '../shell/use-problem';
import { deleteComment, editComment, readComments, writeComment } from './calls';
import type { Comment, Comments as AllComments } from './calls';
import { textDrafts, useDraft } from './drafts';
import { ALL_COMMENTS, INTERVIEW, OWN_COMMENTS } from './keys';
import { leaveField } from './reading-keys';
import { useReadingTexts } from './texts';

const MAX_TEXT = 2000;

interface CommentsProps {
  interviewId: string;
  /** Null: on the whole interview. */
  questionId: string | null;
  /** With colleagues'; null: only one's own are shown. */
  all: AllComments | null;
}

export function Comments({ interviewId, questionId, all }: CommentsProps) {
  const { comments: words } = useReadingTexts();
  const own = useQuery({
    queryKey: OWN_COMMENTS(interviewId),
    queryFn: () => readComments(interviewId, true),
  });
  const [editing, setEditing] = useState<string | null>(null);
  const [asked, setAsked] = useState<Question | null>(null);
  const change = useChange(interviewId);
  const group = useRef<HTMLDivElement>(null);
  // Of the field or the button in whose place something else is now.
  useLostFocus(editing, group);
  const items = (all ?? own.data)?.items.filter((one) => one.questionId === questionId) ?? [];
  // Also a change that was begun before the page was left.
  const changed = editing ?? items.find(({ id }) => hasChange(interviewId, id))?.id;
  const remove = ({ id }: Comment): void =>
    setAsked({
      title: words.removeTitle,
      text: words.removeText,
      action: words.remove,
      isGrave: true,
      run: async () => {
        await deleteComment(interviewId, id);
        change((before) => before.filter((one) => one.id !== id));
        told(words.removed);
      },
    });
  return (
    <div
      ref={group}
      className="comments"
      role="group"
      tabIndex={-1}
      aria-label={questionId === null ? words.title : words.onAnswer}
    >
      {items.length > 0 && (
        <ul>
          {items.map((one) => (
            <li key={one.id} className="comment">
              <p className="comment-head soft">
                <strong>{one.isOwn ? words.you : one.author}</strong>
                <Ago at={one.createdAt} />
                {one.editedAt !== null && <span>{words.edited}</span>}
              </p>
              {changed === one.id ? (
                <Writing
                  place={changeOf(interviewId, one.id)}
                  initial={one.text}
                  action={words.save}
                  send={(text) => editComment(interviewId, one.id, text)}
                  interviewId={interviewId}
                  onSent={(changed) => {
                    change((before) => before.map((old) => (old.id === one.id ? changed : old)));
                    setEditing(null);
                  }}
                  onCancel={() => setEditing(null)}
                />
              ) : (
                <p className="comment-text">{one.text}</p>
              )}
              {one.isOwn && changed !== one.id && (
                <p className="comment-actions">
                  <Button variant="subtle" size="compact-sm" onClick={() => setEditing(one.id)}>
                    {words.edit}
                  </Button>
                  <Button variant="subtle" size="compact-sm" onClick={() => remove(one)}>
                    {words.remove}
                  </Button>
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      <Writing
        place={`${interviewId}/comment/${questionId ?? ''}`}
        target={questionId ?? ''}
        action={words.add}
        send={(text, key) => writeComment(interviewId, { questionId, text, key })}
        interviewId={interviewId}
        onSent={(written) => change((before) => [...before, written])}
      />
      <ConfirmDialog question={asked} onClose={() => setAsked(null)} />
    </div>
  );
}

/** The place of the draft of a changed comment. */
function changeOf(interviewId: string, id: string): string {
  return `${interviewId}/edit/${id}`;
}

function hasChange(interviewId: string, id: string): boolean {
  return textDrafts.get(changeOf(interviewId, id)) !== undefined;
}

/** In what is read with colleagues' comments and without. */
function useChange(id: string) {
  const queries = useQueryClient();
  return (changed: (before: Comment[]) => Comment[]): void => {
    for (const queryKey of [OWN_COMMENTS(id), ALL_COMMENTS(id)]) {
      queries.setQueryData<AllComments>(
        queryKey,
        (before) => before && { ...before, items: changed(before.items) },
      );
    }
  };
}

interface WritingProps {
  interviewId: string;
  /** Of the text that is not sent yet. */
  place: string;
  /** The key `m` finds it by the question; undefined: it does not. */
  target?: string;
  initial?: string;
  action: string;
  send: (text: string, key: string) => Promise<Comment>;
  onSent: (comment: Comment) => void;
  /** Of a change, which is forgotten then. */
  onCancel?: () => void;
}

function Writing(props: WritingProps) {
  const { interviewId, place, target, initial = '', action, send, onSent, onCancel } = props;
  const { comments: words } = useReadingTexts();
  const { cancel } = useTexts();
  const queries = useQueryClient();
  const problem = useProblem(useReadingTexts().problems);
  const label = useId();
  const text = useDraft(textDrafts, place) ?? initial;
  const [key, setKey] = useState(newUuid);
  const sending = useMutation({
    mutationFn: () => send(text.trim(), key),
    onSuccess: (comment) => {
      textDrafts.drop(place);
      setKey(newUuid());
      onSent(comment);
    },
    onError: async (error) => {
      if (asProblem(error).code !== 'conversation_unknown') return;
      await queries.invalidateQueries({ queryKey: INTERVIEW(interviewId) });
    },
  });
  return (
    <form
      className="writing"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '' && !sending.isPending) sending.mutate();
      }}
    >
      <label htmlFor={label} className="for-readers">
        {words.label}
      </label>
      <textarea
        id={label}
        data-comment={target}
        rows={1}
        maxLength={MAX_TEXT}
        placeholder={words.label}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          if (value === initial) textDrafts.drop(place);
          else textDrafts.keep(place, value);
          // Another text is another comment.
          setKey(newUuid());
        }}
        onKeyDown={(event) => {
          leaveField(event);
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.currentTarget.form?.requestSubmit();
          }
        }}
      />
      <p className="comment-actions">
        {text.trim() !== '' && (
          <BusyButton type="submit" variant="default" size="sm" isBusy={sending.isPending}>
            {action}
          </BusyButton>
        )}
        {onCancel !== undefined && (
          <Button
            variant="subtle"
            size="sm"
            onClick={() => {
              textDrafts.drop(place);
              onCancel();
            }}
          >
            {cancel}
          </Button>
        )}
      </p>
      {sending.error !== null && (
        <p className="form-error" role="alert">
          {problem(sending.error)}
        </p>
      )}
    </form>
  );
}
