/**
 * Where a person writes to the candidate. What is typed is kept in this tab over a reload, and while a session ends. A
 * question is answered, which closes its item; anything else is a message, which takes the interview over.
 */
import { useEffect, useRef, useState } from 'react';
import { Checkbox, TextInput, Textarea } from '@mantine/core';
import { BusyButton } from '../shell/busy-button';
import { useKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { useSession } from '../shell/session';
import { useProblem } from '../shell/use-problem';
import { answerTo, replyTo, sayTyping } from './calls';
import type { Item } from './calls';
import { forgetDraft, keepDraft, keptDraft, newDraft, triedDraft } from './drafts';
import type { Draft } from './drafts';
import { useInboxTexts } from './texts';
import '@mantine/core/styles/Checkbox.css';

const MAX_TEXT = 4000;
/** Less room than this is told. */
const LITTLE_ROOM = 500;
const MAX_QUESTION = 160;
const TYPING_EVERY_MS = 2_000;

interface AnswerBoxProps {
  item: Item;
  userId: string;
  onSent: () => void;
  /** The question is answered, and its item is closed. */
  onAnswered: () => void;
}

export function AnswerBox({ item, userId, onSent, onAnswered }: AnswerBoxProps) {
  const texts = useInboxTexts();
  const { box } = texts;
  const problemOf = useProblem(texts.problems);
  const mayKeep = useSession().scopes.includes('vacancies:write');
  const field = useRef<HTMLTextAreaElement>(null);
  const saidAt = useRef(0);
  const [draft, setDraft] = useState<Draft>(() => keptDraft(userId, item.id));
  const [problem, setProblem] = useState<{ of: 'text' | 'question'; text: string } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { id, conversationId, kind, about, closedAt } = item;
  const isAnswer = kind === 'question' && closedAt === null && about?.owner !== 'person';
  const isTakingOver = !isAnswer && about?.owner !== 'person';
  useKeys({ r: () => field.current?.focus() });
  // Somebody else may have taken it, and the box is gone: the text is kept for when it is back.
  useEffect(
    () => keepDraft(userId, { id, conversationId }, draft),
    [userId, id, conversationId, draft],
  );
  const change = (changed: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...changed }));
    setProblem(null);
  };
  const type = (text: string): void => {
    change({ text });
    const now = Date.now();
    if (text.trim() === '' || now - saidAt.current < TYPING_EVERY_MS) return;
    saidAt.current = now;
    void sayTyping(id);
  };
  const send = async (): Promise<void> => {
    if (isBusy) return;
    const wrong = wrongOf(draft, isAnswer);
    if (wrong !== null) {
      setProblem({ of: wrong, text: wrong === 'text' ? box.missing : box.questionMissing });
      if (wrong === 'text') field.current?.focus();
      return;
    }
    const sent = triedDraft(draft);
    setDraft(sent);
    setBusy(true);
    try {
      const { messageId } = sent;
      const text = sent.text.trim();
      const question = sent.question?.trim() ?? null;
      if (isAnswer) await answerTo(id, { text, messageId, question });
      else await replyTo(id, { text, messageId });
      forgetDraft(userId, id);
      setDraft(newDraft());
      if (!isAnswer) {
        told(texts.told.sent);
        onSent();
      } else {
        told(question === null ? texts.told.answered : texts.told.answeredAndKept);
        onAnswered();
      }
    } catch (error) {
      setProblem({ of: 'text', text: problemOf(error) });
      onSent();
    } finally {
      setBusy(false);
    }
  };
  const left = MAX_TEXT - draft.text.length;
  return (
    <form
      className="answer-box"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void send();
      }}
    >
      <Textarea
        ref={field}
        label={isAnswer ? box.answer : box.reply}
        description={`${isAnswer ? box.answerNote : box.replyNote} ${isTakingOver ? box.takesOver : ''}`}
        value={draft.text}
        maxLength={MAX_TEXT}
        readOnly={isBusy}
        rows={3}
        size="md"
        radius="md"
        aria-keyshortcuts="r"
        error={problem?.of === 'text' ? problem.text : undefined}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Escape') currentTarget.blur();
        }}
      />
      {isAnswer && mayKeep && (
        <Checkbox
          label={box.keep}
          checked={draft.question !== null}
          onChange={(event) => change({ question: event.currentTarget.checked ? '' : null })}
        />
      )}
      {isAnswer && draft.question !== null && (
        <TextInput
          label={box.question}
          description={box.questionNote}
          value={draft.question}
          maxLength={MAX_QUESTION}
          error={problem?.of === 'question' ? problem.text : undefined}
          onChange={(event) => change({ question: event.currentTarget.value })}
        />
      )}
      <div className="answer-actions">
        <span className="soft">{left < LITTLE_ROOM ? box.left(left) : box.keys}</span>
        <BusyButton type="submit" isBusy={isBusy}>
          {isAnswer ? box.sendAnswer : isTakingOver ? box.takeOverAndSend : box.send}
        </BusyButton>
      </div>
    </form>
  );
}

/** Which field is missing; null: none. */
function wrongOf({ text, question }: Draft, isAnswer: boolean): 'text' | 'question' | null {
  if (text.trim() === '') return 'text';
  return isAnswer && question !== null && question.trim() === '' ? 'question' : null;
}
