// app is what the page knows; predicates read it. note shows a message where people look for one.
window.app = {};
function note(text, kind = 'success') {
  const box = document.getElementById('status');
  box.className = 'alert alert-' + kind + ' mt-3';
  box.textContent = text;
}
