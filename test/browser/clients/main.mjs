/**
 * Pages as another developer would write them by each client's own manual; `?client=` selects one. They
 * know only the addresses of Colloquy, and use the installed packages unchanged.
 */
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { AssistantUi } from './assistant-ui.mjs';
import { EventSourceReader } from './event-source.mjs';
import { UseChat, UseChatWithChat } from './use-chat.mjs';

const CLIENTS = {
  'use-chat': UseChat,
  'use-chat-with-chat': UseChatWithChat,
  'event-source': EventSourceReader,
  'assistant-ui': AssistantUi,
};

const response = await fetch('/api/v1/conversation');
const conversation = await response.json();
const client = CLIENTS[new URL(location.href).searchParams.get('client')];
createRoot(document.getElementById('root')).render(createElement(client, { conversation }));
