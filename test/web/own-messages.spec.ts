/** The candidate's own messages for a screen reader. */
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { OwnMessages } from '../../web/src/components/own-messages';
import { dictionaries } from '../../web/src/i18n/dictionary';

test('a refused message is announced, although the log around it is not live', () => {
  const nothing = () => undefined;
  const line = {
    key: 'a',
    text: 'Hello.',
    at: '2026-01-01T10:00:00Z',
    state: 'refused',
    code: 'conversation_closed',
    messageId: '',
    voice: null,
    file: null,
  } as const;
  const actions = {
    onRetry: nothing,
    onEdit: nothing,
    onRemove: nothing,
    onCorrect: null,
    onCorrecting: nothing,
    maxChars: 16_000,
    onDownload: () => Promise.resolve(),
  };

  const html = renderToStaticMarkup(createElement(OwnMessages, { lines: [line], actions }));

  const { delivery } = dictionaries.en;
  expect(html).toContain(`<span role="alert">${delivery.refused(line.code)}</span>`);
});
