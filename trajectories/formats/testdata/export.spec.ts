// t1-login@default.3-1: written by cua-runner export --format playwright.
import { test, expect } from '@playwright/test';

test.use({ viewport: { width: 640, height: 400 } });

test("Sign in as ada and say who is signed in.", async ({ page }) => {
  if (!process.env.PASSWORD) throw new Error("the environment has no PASSWORD: the test types this secret");
  await page.goto("http://127.0.0.1:8080/login");
  // 1 click User name
  await page.getByRole('textbox', { name: "User name", exact: true }).click();
  // 2 click User name
  await page.getByRole('textbox', { name: "User name", exact: true }).click();
  // 3 click User name
  await page.getByRole('textbox', { name: "User name", exact: true }).click();
  // 4 click User name → type "ada" [loop_recovery: type_pending_value]
  await page.getByRole('textbox', { name: "User name", exact: true }).fill("ada");
  // 6 type Password
  // No role and name or label is known to be the only one: the point is used.
  await page.waitForLoadState();
  await page.mouse.click(320, 250);
  await page.keyboard.type(process.env.PASSWORD);
  // 7 click Sign in → key Return [loop_recovery: press_return_for_submit]
  await page.keyboard.press("Enter");
  // The end.
  await expect(page).toHaveURL("http://127.0.0.1:8080/login");
  await expect(page).toHaveTitle("Harbour</script><img src=x onerror=\"document.title='owned'\">");
});
