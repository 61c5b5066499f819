#!/bin/sh
# Installs the libraries that the pages load into a folder outside of the repository: ./install.sh DIR
set -eu
if [ $# -ne 1 ]; then
	echo "usage: $0 DIR" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$1"
cd "$1"
dir=$(pwd -P)
if root=$(git -C "$here" rev-parse --show-toplevel 2>/dev/null); then
	case "$dir/" in
	"$root"/*)
		echo "$0: $dir is in the repository: the libraries are no part of it" >&2
		exit 2
		;;
	esac
fi
[ -f package.json ] || echo '{"private": true}' >package.json
npm install --no-audit --no-fund --no-package-lock --ignore-scripts --legacy-peer-deps --save-exact \
	@mui/material@5.15.21 \
	@shoelace-style/shoelace@2.20.1 \
	@yaireo/tagify@4.35.1 \
	ag-grid-community@33.3.2 \
	antd@5.26.0 \
	awesomplete@1.1.7 \
	bootstrap@5.3.8 \
	bs-stepper@1.7.0 \
	choices.js@11.1.0 \
	cleave.js@1.6.0 \
	datatables.net-dt@2.3.2 \
	datatables.net@2.3.2 \
	daterangepicker@3.1.0 \
	dayjs@1.11.13 \
	dropzone@6.0.0-beta.2 \
	element-plus@2.10.2 \
	flatpickr@4.6.13 \
	fullcalendar@6.1.18 \
	imask@7.6.1 \
	intl-tel-input@25.3.1 \
	jquery-validation@1.21.0 \
	jquery@3.7.1 \
	jstree@3.3.17 \
	moment@2.30.1 \
	notyf@3.10.0 \
	nouislider@15.8.1 \
	parsleyjs@2.9.2 \
	quill@2.0.3 \
	react-dom@18.3.1 \
	react@18.3.1 \
	select2@4.0.13 \
	sortablejs@1.15.6 \
	sweetalert2@11.22.0 \
	swiper@11.2.10 \
	tabulator-tables@6.3.1 \
	tom-select@2.4.3 \
	vanilla-cookieconsent@3.1.0 \
	vanillajs-datepicker@1.3.4 \
	vue@3.5.17
echo "installed: play the tasks with --libraries $dir"
