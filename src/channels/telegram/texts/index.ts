export { doneKeyboard, inlineKeyboard } from './keyboards';
export {
  type AttachmentKind,
  COMMANDS,
  isDoneButton,
  type TelegramTexts,
  telegramTextsOf,
} from './texts';
