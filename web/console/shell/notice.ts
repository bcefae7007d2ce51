/** Short sentences in the corner: what was done, or why it was not. */
import { notifications } from '@mantine/notifications';

export function told(message: string): void {
  notifications.show({ message, withCloseButton: false, className: 'notice' });
}

export function failed(message: string): void {
  notifications.show({
    message,
    color: 'red',
    className: 'notice notice-failed',
    autoClose: 10_000,
  });
}
